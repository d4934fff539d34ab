// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Layers by OpenBLAS and loops.
#include "common.h"

static floats gelu(floats a) { return 0.5f * a * (1 + VECTOR_FUNCTION(erff)(a * 0.70710678f)); }

// X, W, bias, R, Y. n is a multiple of the lanes.
void gelu_residual(float **t, long m, long n, long k) {
  product(t[0], t[1], t[4], m, n, k);
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; j += LANES) {
      float *y = t[4] + i * n + j;
      store(y, load(t[3] + i * n + j) + gelu(load(y) + load(t[2] + j)));
    }
}

static void add_bias(float *y, const float *bias, long m, long n, int relu) {
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) {
      const float sum = y[i * n + j] + bias[j];
      y[i * n + j] = relu && sum < 0 ? 0 : sum;
    }
}

// X, W1, b1, W2, b2, Y
void two_layers(float **t, long batch, long in, long hidden, long out) {
  float *between = kept(0, batch * hidden);
  product(t[0], t[1], between, batch, hidden, in);
  add_bias(between, t[2], batch, hidden, 1);
  product(between, t[3], t[5], batch, out, hidden);
  add_bias(t[5], t[4], batch, out, 0);
}

// X, W, Y of f32: what was dequantised once, before.
void dequantised_before(float **t, long m, long n, long k) { product(t[0], t[1], t[2], m, n, k); }

// X, W, scale, Y: weights dequantised in each call, then the product.
void dequantise_and_multiply(float **t, long m, long n, long k, long group) {
  float *weights = kept(0, k * n);
  const int8_t *codes = (const int8_t *)t[1];
  for (long i = 0; i < k; ++i)
    for (long j = 0; j < n; ++j)
      weights[i * n + j] = (float)codes[i * n + j] * t[2][group ? i / group * n + j : j];
  product(t[0], weights, t[3], m, n, k);
}
