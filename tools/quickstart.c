/* Part of Einc. SPDX-License-Identifier: Apache-2.0
 *
 * What a user's program looks like: descriptors, a call, a status. It runs kernels of the library
 * that tools/quickstart generated on pseudo-random data, compares every element with plain loops in
 * double precision, and prints a table with the times, OpenBLAS's beside them where one call fits.
 *
 * The bound is that of a sum of k products in any order: gamma(k) * sum |a||b|, where
 * gamma(k) = k u / (1 - k u) and u = 2^-24 (Higham, Accuracy and Stability, section 3.1). */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "einc_quickstart.h"

enum { kRepeats = 5 };
static int failures = 0;

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float *numbers(size_t count, unsigned seed) {
  float *data = malloc(count * sizeof *data);
  if (data == NULL) exit(1);
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(int)(seed >> 8) / (float)(1 << 23) - 1.0f;
  }
  return data;
}

/* Both return EINC_OK, to stand before a kernel in a comma expression. */
static einc_status set_all(float *data, size_t count, float value) {
  for (size_t i = 0; i < count; ++i) data[i] = value;
  return EINC_OK;
}
static einc_status set_zero(float *data, size_t count) { return set_all(data, count, 0.0f); }

static double gamma_k(double k) { return k * 0x1p-24 / (1.0 - k * 0x1p-24); }

/* The largest error over its bound, element by element. */
static double worst(const float *got, const double *expected, const double *bound, size_t count) {
  double largest = 0.0;
  for (size_t i = 0; i < count; ++i) {
    double ratio = fabs((double)got[i] - expected[i]) / (bound[i] + 0x1p-149);
    if (!(ratio <= largest)) largest = ratio;
  }
  return largest;
}

static void row(const char *op, const char *shape, double ratio, double seconds, double blas) {
  char library[32] = "";
  if (blas > 0.0) snprintf(library, sizeof library, "%10.3f ms", 1e3 * blas);
  printf("%-22s %-30s %-18s %8.4f %s %10.3f ms %s\n", op, shape, "loops in double", ratio,
         ratio <= 1.0 ? "ok " : "BAD", 1e3 * seconds, library);
  fflush(stdout);
  failures += !(ratio <= 1.0);
}

/* The best of a few runs of `statement`, which must give EINC_OK. */
#define TIME(seconds, statement)                                \
  do {                                                          \
    seconds = 1e30;                                             \
    for (int repeat = 0; repeat < kRepeats; ++repeat) {         \
      double start = now();                                     \
      einc_status status = (statement);                         \
      double taken = now() - start;                             \
      if (taken < seconds) seconds = taken;                     \
      if (status != EINC_OK) {                                  \
        fprintf(stderr, "%s: status %d\n", #statement, status); \
        exit(1);                                                \
      }                                                         \
    }                                                           \
  } while (0)

static einc_memref_f32_1 vector(float *data, int64_t n) {
  einc_memref_f32_1 v = {data, data, 0, {n}, {1}};
  return v;
}

static einc_memref_f32_2 matrix(float *data, int64_t m, int64_t n) {
  einc_memref_f32_2 v = {data, data, 0, {m, n}, {n, 1}};
  return v;
}

static einc_memref_f32_4 tensor4(float *data, int64_t a, int64_t b, int64_t c, int64_t d) {
  einc_memref_f32_4 v = {data, data, 0, {a, b, c, d}, {b * c * d, c * d, d, 1}};
  return v;
}

/* Matrix products: C += A B, with C zero before. */
static void products(void) {
  enum { M = 256, N = 192, K = 320 };
  float *a = numbers(M * K, 1), *b = numbers(K * N, 2), *c = calloc(M * N, sizeof *c);
  float *blasC = calloc(M * N, sizeof *blasC);
  double *expected = calloc(M * N, sizeof *expected), *bound = calloc(M * N, sizeof *bound);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      for (int k = 0; k < K; ++k) {
        double product = (double)a[i * K + k] * b[k * N + j];
        expected[i * N + j] += product;
        bound[i * N + j] += fabs(product);
      }
      bound[i * N + j] *= gamma_k(K + 1);
    }
  einc_memref_f32_2 A = matrix(a, M, K), B = matrix(b, K, N), C = matrix(c, M, N);
  double seconds, blas;
  TIME(seconds, (set_zero(c, M * N), matmul(&A, &B, &C)));
  TIME(blas, (cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, N, K, 1.0f, a, K, b, N,
                          0.0f, blasC, N),
              EINC_OK));
  row("matmul", "256x320 by 320x192", worst(c, expected, bound, M * N), seconds, blas);

  /* B as the transpose of a stored matrix: the same numbers, other strides. */
  einc_memref_f32_2 Bt = {b, b, 0, {N, K}, {1, N}};
  TIME(seconds, (set_zero(c, M * N), matmul_transpose_b(&A, &Bt, &C)));
  row("matmul_transpose_b", "the same, strides swapped", worst(c, expected, bound, M * N), seconds,
      0);

  /* The first column of B: a strided vector. */
  einc_memref_f32_1 x = {b, b, 0, {K}, {N}}, y = vector(c, M);
  for (int i = 0; i < M; ++i) {
    expected[i] = expected[i * N];
    bound[i] = bound[i * N];
  }
  TIME(seconds, (set_zero(c, M), matvec(&A, &x, &y)));
  TIME(blas,
       (cblas_sgemv(CblasRowMajor, CblasNoTrans, M, K, 1.0f, a, K, b, N, 0.0f, blasC, 1), EINC_OK));
  row("matvec", "256x320 by a strided column", worst(c, expected, bound, M), seconds, blas);
  free(a), free(b), free(c), free(blasC), free(expected), free(bound);
}

/* 3x3, stride 2, dilation 1. */
static void convolutions(void) {
  enum { H = 33, W = 33, C = 16, F = 24, OH = 16, OW = 16, R = 3 };
  const int64_t strides[2] = {2, 2}, dilations[2] = {1, 1};
  float *in = numbers(H * W * C, 3), *filter = numbers(R * R * C * F, 4);
  float *out = calloc(OH * OW * F, sizeof *out);
  double *expected = calloc(OH * OW * F, sizeof *expected),
         *bound = calloc(OH * OW * F, sizeof *bound);
  for (int oh = 0; oh < OH; ++oh)
    for (int ow = 0; ow < OW; ++ow)
      for (int f = 0; f < F; ++f) {
        size_t o = ((size_t)oh * OW + ow) * F + f;
        for (int kh = 0; kh < R; ++kh)
          for (int kw = 0; kw < R; ++kw)
            for (int c = 0; c < C; ++c) {
              double product = (double)in[((oh * 2 + kh) * W + ow * 2 + kw) * C + c] *
                               filter[((kh * R + kw) * C + c) * F + f];
              expected[o] += product;
              bound[o] += fabs(product);
            }
        bound[o] *= gamma_k(R * R * C + 1);
      }
  einc_memref_f32_4 X = tensor4(in, 1, H, W, C), K = tensor4(filter, R, R, C, F);
  einc_memref_f32_4 O = tensor4(out, 1, OH, OW, F);
  double seconds;
  TIME(seconds, (set_zero(out, OH * OW * F), conv_2d_nhwc_hwcf(&X, &K, &O, strides, dilations)));
  row("conv_2d_nhwc_hwcf", "33x33x16, 3x3x24, stride 2", worst(out, expected, bound, OH * OW * F),
      seconds, 0);

  /* Max pooling is exact. Only the window's shape is used; it has no data. */
  einc_memref_f32_2 window = {NULL, NULL, 0, {R, R}, {R, 1}};
  einc_memref_f32_4 P = tensor4(out, 1, OH, OW, C);
  for (int oh = 0; oh < OH; ++oh)
    for (int ow = 0; ow < OW; ++ow)
      for (int c = 0; c < C; ++c) {
        size_t o = ((size_t)oh * OW + ow) * C + c;
        expected[o] = -INFINITY;
        bound[o] = 0.0;
        for (int kh = 0; kh < R; ++kh)
          for (int kw = 0; kw < R; ++kw)
            expected[o] = fmax(expected[o], in[((oh * 2 + kh) * W + ow * 2 + kw) * C + c]);
      }
  TIME(seconds, (set_all(out, OH * OW * C, -INFINITY),
                 pooling_nhwc_max(&X, &window, &P, strides, dilations)));
  row("pooling_nhwc_max", "33x33x16, 3x3, stride 2", worst(out, expected, bound, OH * OW * C),
      seconds, 0);
  free(in), free(filter), free(out), free(expected), free(bound);
}

/* exp is within 2 u here (glibc's manual), the subtraction's error is at most 2 u |x - max| <= 4 u,
 * which exp turns into a relative one; the sum of N terms and the division follow. */
static void softmaxes(void) {
  enum { M = 512, N = 400 };
  float *x = numbers(M * N, 5), *y = calloc(M * N, sizeof *y);
  double *expected = calloc(M * N, sizeof *expected), *bound = calloc(M * N, sizeof *bound);
  for (int i = 0; i < M; ++i) {
    double largest = -INFINITY, sum = 0.0;
    for (int j = 0; j < N; ++j) largest = fmax(largest, x[i * N + j]);
    for (int j = 0; j < N; ++j) sum += exp(x[i * N + j] - largest);
    for (int j = 0; j < N; ++j) {
      expected[i * N + j] = exp(x[i * N + j] - largest) / sum;
      bound[i * N + j] = gamma_k(2 * (2 + 4) + N + 1) * expected[i * N + j];
    }
  }
  einc_memref_f32_2 X = matrix(x, M, N), Y = matrix(y, M, N);
  double seconds;
  TIME(seconds, softmax(&X, &Y));
  row("softmax", "512x400", worst(y, expected, bound, M * N), seconds, 0);

  einc_memref_f32_2 Yt = {y, y, 0, {N, M}, {M, 1}};
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      expected[j * M + i] = x[i * N + j];
      bound[j * M + i] = 0.0;
    }
  TIME(seconds, transpose(&X, &Yt));
  row("transpose", "512x400", worst(y, expected, bound, M * N), seconds, 0);
  free(x), free(y), free(expected), free(bound);
}

/* relu(X W1 + b1) W2 + b2; the first layer's error passes through the second one's weights. */
static void networks(void) {
  enum { B = 64, D = 128, H = 96, O = 10 };
  float *x = numbers(B * D, 6), *w1 = numbers(D * H, 7), *b1 = numbers(H, 8);
  float *w2 = numbers(H * O, 9), *b2 = numbers(O, 10), *y = calloc(B * O, sizeof *y);
  double *expected = calloc(B * O, sizeof *expected), *bound = calloc(B * O, sizeof *bound);
  for (int b = 0; b < B; ++b) {
    double hidden[H], error[H];
    for (int h = 0; h < H; ++h) {
      double sum = b1[h], size = fabs(b1[h]);
      for (int i = 0; i < D; ++i) {
        sum += (double)x[b * D + i] * w1[i * H + h];
        size += fabs((double)x[b * D + i] * w1[i * H + h]);
      }
      hidden[h] = fmax(sum, 0.0);
      error[h] = gamma_k(D + 2) * size;
    }
    for (int o = 0; o < O; ++o) {
      double sum = b2[o], size = fabs(b2[o]), carried = 0.0;
      for (int h = 0; h < H; ++h) {
        sum += hidden[h] * w2[h * O + o];
        size += (hidden[h] + error[h]) * fabs(w2[h * O + o]);
        carried += error[h] * fabs(w2[h * O + o]);
      }
      expected[b * O + o] = sum;
      bound[b * O + o] = gamma_k(H + 2) * size + carried;
    }
  }
  einc_memref_f32_2 X = matrix(x, B, D), W1 = matrix(w1, D, H), W2 = matrix(w2, H, O);
  einc_memref_f32_2 Y = matrix(y, B, O);
  einc_memref_f32_1 B1 = vector(b1, H), B2 = vector(b2, O);
  double seconds;
  TIME(seconds, mlp(&X, &W1, &B1, &W2, &B2, &Y));
  row("mlp", "64x128, 96 hidden, 10 out", worst(y, expected, bound, B * O), seconds, 0);
  free(x), free(w1), free(b1), free(w2), free(b2), free(y), free(expected), free(bound);
}

int main(void) {
  printf("%-22s %-30s %-18s %12s %13s %13s\n", "op", "shape", "checked against", "error/bound",
         "time", "OpenBLAS");
  products();
  convolutions();
  softmaxes();
  networks();
  printf(failures ? "%d rows are outside their bound\n" : "All results are within their bounds.\n",
         failures);
  return failures != 0;
}
