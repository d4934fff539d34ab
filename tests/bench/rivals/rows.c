// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Functions of rows, and of elements, in loops.
#include "common.h"

// X, Y
void softmax_rows(float **t, long m, long n) {
  for (long i = 0; i < m; ++i) {
    const float *x = t[0] + i * n;
    float *y = t[1] + i * n;
    const float factor = 1 / exp_row(x, y, n, largest_of(x, n));
    for (long j = 0; j < n; ++j) y[j] *= factor;
  }
}

// X, y
void logsumexp_rows(float **t, long m, long n) {
  float *scratch = kept(0, n);
  for (long i = 0; i < m; ++i) {
    const float *x = t[0] + i * n;
    const float largest = largest_of(x, n);
    t[1][i] = largest + logf(exp_row(x, scratch, n, largest));
  }
}

// X, gamma, beta, Y
void layer_norm_rows(float **t, long m, long n, float epsilon) {
  for (long i = 0; i < m; ++i) {
    const float *x = t[0] + i * n;
    float *y = t[3] + i * n, sum = 0, squares = 0;
    for (long j = 0; j < n; ++j) sum += x[j];
    const float mean = sum / (float)n;
    for (long j = 0; j < n; ++j) squares += (x[j] - mean) * (x[j] - mean);
    const float factor = 1 / sqrtf(squares / (float)n + epsilon);
    for (long j = 0; j < n; ++j) y[j] = (x[j] - mean) * factor * t[1][j] + t[2][j];
  }
}

// X, gamma, Y
void rms_norm_rows(float **t, long m, long n, float epsilon) {
  for (long i = 0; i < m; ++i) {
    const float *x = t[0] + i * n;
    float *y = t[2] + i * n, squares = 0;
    for (long j = 0; j < n; ++j) squares += x[j] * x[j];
    const float factor = 1 / sqrtf(squares / (float)n + epsilon);
    for (long j = 0; j < n; ++j) y[j] = x[j] * factor * t[1][j];
  }
}

// X, gain, shift, Y
void chain(float **t, long m, long n) {
  const float *gain = t[1], *shift = t[2];
  for (long i = 0; i < m; ++i) {
    const float *x = t[0] + i * n;
    float *y = t[3] + i * n;
    for (long j = 0; j < n; ++j) {
      float d = x[j] * gain[j] + shift[j];
      d = d > -8 ? d : -8;
      d = d < 8 ? d : 8;
      y[j] = x[j] + d / (d * d + 1);
    }
  }
}
