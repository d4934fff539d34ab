// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the rivals of `tools/bench fusion` share: loops as one writes them by hand around calls of
// libraries, for Clang to make vectors of. Sizes are numbers in the call (suites/fusion.json), and so
// known when this is compiled. Memory between calls is kept.
#ifndef EINC_BENCH_RIVALS_COMMON_H
#define EINC_BENCH_RIVALS_COMMON_H
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__AVX512F__)
enum { LANES = 16 };
#define VECTOR_FUNCTION(name) _ZGVeN16v_##name
#else
enum { LANES = 8 };
#define VECTOR_FUNCTION(name) _ZGVdN8v_##name
#endif

typedef float floats __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef float aligned_floats __attribute__((vector_size(LANES * 4)));

// Of libmvec, glibc's functions on vectors.
aligned_floats VECTOR_FUNCTION(expf)(aligned_floats);
aligned_floats VECTOR_FUNCTION(erff)(aligned_floats);

static inline floats load(const float *from) { return *(const floats *)from; }
static inline void store(float *to, floats value) { *(floats *)to = value; }

enum { PLACES = 6 };

// Memory of this size, the same one in each call.
static inline float *kept(int place, long elements) {
  static float *memory[PLACES];
  if (!memory[place])
    memory[place] = aligned_alloc(64, ((size_t)elements * sizeof(float) + 63) / 64 * 64);
  return memory[place];
}

// to = e^(from - less); the sum of it.
static inline float exp_row(const float *from, float *to, long n, float less) {
  floats sum = {0};
  long i = 0;
  for (; i + LANES <= n; i += LANES) {
    floats e = VECTOR_FUNCTION(expf)(load(from + i) - less);
    store(to + i, e);
    sum += e;
  }
  float total = 0;
  for (int lane = 0; lane < LANES; ++lane) total += sum[lane];
  for (; i < n; ++i) total += to[i] = expf(from[i] - less);
  return total;
}

static inline float largest_of(const float *x, long n) {
  float largest = -FLT_MAX;
  for (long i = 0; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };
void cblas_sgemm(int order, int transposed_a, int transposed_b, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void cblas_sgemv(int order, int transposed, int m, int n, float alpha, const float *a, int lda,
                 const float *x, int incx, float beta, float *y, int incy);

// c = a b, of rows without gaps.
static inline void product(const float *a, const float *b, float *c, long m, long n, long k) {
  cblas_sgemm(ROW_MAJOR, PLAIN, PLAIN, (int)m, (int)n, (int)k, 1, a, (int)k, b, (int)n, 0, c,
              (int)n);
}
#endif
