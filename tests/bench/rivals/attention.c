// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Attention by OpenBLAS and loops. Arrays: Q, K, V, O.
#include "common.h"

// As one writes it first: all scores of a head, their softmax, the second product.
void attention_whole(float **t, long heads, long m, long n, long d, float scale) {
  float *scores = kept(0, m * n);
  for (long h = 0; h < heads; ++h) {
    const float *q = t[0] + h * m * d, *k = t[1] + h * n * d, *v = t[2] + h * n * d;
    float *o = t[3] + h * m * d;
    cblas_sgemm(ROW_MAJOR, PLAIN, TRANSPOSED, (int)m, (int)n, (int)d, scale, q, (int)d, k, (int)d,
                0, scores, (int)n);
    for (long i = 0; i < m; ++i) {
      float *row = scores + i * n;
      const float total = exp_row(row, row, n, largest_of(row, n)), factor = 1 / total;
      for (long j = 0; j < n; ++j) row[j] *= factor;
    }
    product(scores, v, o, m, d, n);
  }
}

// The same by blocks of queries, whose scores stay in the cache; of a causal mask, keys that no query
// of a block sees are left out.
void attention_blocks(float **t, long heads, long m, long n, long d, float scale, int causal,
                      long block) {
  float *scores = kept(1, block * n);
  for (long h = 0; h < heads; ++h)
    for (long from = 0; from < m; from += block) {
      const long rows = m - from < block ? m - from : block, keys = causal ? from + rows : n;
      const float *k = t[1] + h * n * d, *v = t[2] + h * n * d;
      float *o = t[3] + (h * m + from) * d;
      cblas_sgemm(ROW_MAJOR, PLAIN, TRANSPOSED, (int)rows, (int)keys, (int)d, scale,
                  t[0] + (h * m + from) * d, (int)d, k, (int)d, 0, scores, (int)n);
      float factors[1024];
      for (long i = 0; i < rows; ++i) {
        float *row = scores + i * n;
        const long seen = causal ? from + i + 1 : n;
        factors[i] = 1 / exp_row(row, row, seen, largest_of(row, seen));
        for (long j = seen; j < keys; ++j) row[j] = 0;
      }
      cblas_sgemm(ROW_MAJOR, PLAIN, PLAIN, (int)rows, (int)d, (int)keys, 1, scores, (int)n, v,
                  (int)d, 0, o, (int)d);
      for (long i = 0; i < rows; ++i)
        for (long j = 0; j < d; ++j) o[i * d + j] *= factors[i];
    }
}

// One query a head.
void attention_one(float **t, long heads, long n, long d, float scale) {
  float *scores = kept(2, n);
  for (long h = 0; h < heads; ++h) {
    const float *k = t[1] + h * n * d, *v = t[2] + h * n * d;
    float *o = t[3] + h * d;
    cblas_sgemv(ROW_MAJOR, PLAIN, (int)n, (int)d, scale, k, (int)d, t[0] + h * d, 1, 0, scores, 1);
    const float factor = 1 / exp_row(scores, scores, n, largest_of(scores, n));
    cblas_sgemv(ROW_MAJOR, TRANSPOSED, (int)n, (int)d, factor, v, (int)d, scores, 1, 0, o, 1);
  }
}

// One query a head, by hand: keys and values once, in blocks.
void attention_one_pass(float **t, long heads, long n, long d, float scale) {
  enum { BLOCK = 256, WIDEST = 256 };
  for (long h = 0; h < heads; ++h) {
    const float *q = t[0] + h * d, *k = t[1] + h * n * d, *v = t[2] + h * n * d;
    float sums[WIDEST] = {0}, scores[BLOCK], largest = -FLT_MAX, total = 0;
    for (long from = 0; from < n; from += BLOCK) {
      const long keys = n - from < BLOCK ? n - from : BLOCK;
      for (long j = 0; j < keys; ++j) {
        float sum = 0;
        for (long i = 0; i < d; ++i) sum += q[i] * k[(from + j) * d + i];
        scores[j] = sum * scale;
      }
      const float here = largest_of(scores, keys), next = here > largest ? here : largest;
      const float factor = expf(largest - next);
      largest = next;
      total = total * factor + exp_row(scores, scores, keys, next);
      for (long i = 0; i < d; ++i) sums[i] *= factor;
      for (long j = 0; j < keys; ++j)
        for (long i = 0; i < d; ++i) sums[i] += scores[j] * v[(from + j) * d + i];
    }
    for (long i = 0; i < d; ++i) t[3][h * d + i] = sums[i] / total;
  }
}
