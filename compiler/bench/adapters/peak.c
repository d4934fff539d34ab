// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What this machine can do at most: multiply-adds in registers with the widest vectors, copies of
// memory, sums of it, which only read, one value all over it, which only writes, sums of two arrays,
// and changes in place. Not a library; `einc bench` runs it in turn with the others, and
// tests/bench/limits.py at the sizes of caches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"

#if defined(__AVX512F__)
enum { BYTES = 64, CHAINS = 24 };
#elif defined(__AVX__)
enum { BYTES = 32, CHAINS = 12 };
#else
enum { BYTES = 16, CHAINS = 12 };
#endif

static struct einc_bench_problem p;
static char *from, *to;
static volatile double sink;

// CHAINS independent chains; p.k steps in each.
#define FMA(T)                                                                                     \
  typedef T T##_vector __attribute__((vector_size(BYTES)));                                        \
  static void fma_##T(void) {                                                                      \
    T##_vector x = {0}, y = {0}, sum[CHAINS];                                                      \
    x += (T)0.5, y += (T)0.25;                                                                     \
    for (int i = 0; i < CHAINS; ++i) sum[i] = x * (T)i;                                            \
    __asm__ volatile("" : "+x"(x), "+x"(y));                                                       \
    for (int64_t k = 0; k < p.k; ++k) {                                                            \
      _Pragma("clang loop unroll(full)") for (int i = 0; i < CHAINS; ++i) sum[i] = sum[i] * x + y; \
    }                                                                                              \
    for (int i = 1; i < CHAINS; ++i) sum[0] += sum[i];                                             \
    sink = (double)sum[0][0];                                                                      \
  }
FMA(float)
FMA(double)

// p.m: 0 as the C library copies, 1 with vectors, 2 with vectors around the caches.
static void copy(void) {
  typedef float vector __attribute__((vector_size(BYTES)));
  const vector *f = (const vector *)from;
  vector *t = (vector *)to;
  int64_t count = p.n / BYTES;
  if (p.m == 0) {
    memcpy(to, from, (size_t)p.n);
  } else if (p.m == 1) {
    for (int64_t i = 0; i < count; ++i) t[i] = f[i];
  } else {
    for (int64_t i = 0; i < count; ++i) __builtin_nontemporal_store(f[i], &t[i]);
    __sync_synchronize();
  }
}

enum { SUMS = 8, PLACES = 4, AHEAD = 512 };

// p.m: 0 in one place after the other, 1 asked for early, 2 in several places, asked for early, 3 in
// several places, not asked for.
static void read_all(void) {
  typedef float vector __attribute__((vector_size(BYTES)));
  vector sum[SUMS] = {{0}};
  const int64_t places = p.m >= 2 ? PLACES : 1, each = p.n / places, step = SUMS * BYTES;
  for (int64_t i = 0; i + step <= each; i += step)
    for (int64_t place = 0; place < places; ++place) {
      const char *at = from + place * each + i;
      for (int64_t line = 0; p.m > 0 && p.m < 3 && line < step; line += 64)
        __builtin_prefetch(at + AHEAD + line);
      _Pragma("clang loop unroll(full)") for (int v = 0; v < SUMS; ++v) sum[v] +=
          ((const vector *)(const void *)at)[v];
    }
  for (int v = 1; v < SUMS; ++v) sum[0] += sum[v];
  sink = (double)sum[0][0];
}

// p.m: 0 as the C library fills, 1 with vectors around the caches. Not zeros: some machines write
// those faster (Zen 5: 93 GB/s, others 43).
static void write_all(void) {
  typedef float vector __attribute__((vector_size(BYTES)));
  if (p.m == 0) {
    memset(to, 1, (size_t)p.n);
  } else {
    const vector one = (vector){0} + 1;
    vector *t = (vector *)to;
    for (int64_t i = 0; i < p.n / BYTES; ++i) __builtin_nontemporal_store(one, &t[i]);
    __sync_synchronize();
  }
}

// p.m: 0 with vectors, 1 around the caches. The second array lies behind the first.
static void add(void) {
  typedef float vector __attribute__((vector_size(BYTES)));
  const vector *f = (const vector *)from, *g = (const vector *)(from + p.n);
  vector *t = (vector *)to;
  int64_t count = p.n / BYTES;
  if (p.m == 0) {
    for (int64_t i = 0; i < count; ++i) t[i] = f[i] + g[i];
  } else {
    for (int64_t i = 0; i < count; ++i) __builtin_nontemporal_store(f[i] + g[i], &t[i]);
    __sync_synchronize();
  }
}

// p.m: 0 by a number, 1 by another array, which is read.
static void update(void) {
  typedef float vector __attribute__((vector_size(BYTES)));
  const vector *f = (const vector *)from;
  vector *t = (vector *)to;
  if (p.m == 0) {
    for (int64_t i = 0; i < p.n / BYTES; ++i) t[i] += 1;
  } else {
    for (int64_t i = 0; i < p.n / BYTES; ++i) t[i] += f[i];
  }
}

int einc_bench_prepare(const struct einc_bench_problem *problem, const void *a, const void *b,
                       void *c) {
  p = *problem;
  (void)b;
  // What is read has to be memory of its own: pages of zeros are all the same one.
  from = (char *)a, to = (char *)c;
  return p.kind < EINC_BENCH_FMA || p.kind > EINC_BENCH_UPDATE;
}

void einc_bench_run(void) {
  if (p.kind == EINC_BENCH_COPY)
    copy();
  else if (p.kind == EINC_BENCH_READ)
    read_all();
  else if (p.kind == EINC_BENCH_WRITE)
    write_all();
  else if (p.kind == EINC_BENCH_ADD)
    add();
  else if (p.kind == EINC_BENCH_UPDATE)
    update();
  else if (p.is_double)
    fma_double();
  else
    fma_float();
}

// Operations or bytes of one run, then the width of a vector.
const char *einc_bench_describe(void) {
  static char text[64];
  double lanes = (double)BYTES / (p.is_double ? 8 : 4);
  double amount = p.kind == EINC_BENCH_COPY || p.kind == EINC_BENCH_UPDATE ? 2 * (double)p.n
                  : p.kind == EINC_BENCH_ADD                               ? 3 * (double)p.n
                  : p.kind == EINC_BENCH_FMA ? 2 * lanes * CHAINS * (double)p.k
                                             : (double)p.n;
  snprintf(text, sizeof text, "%.17g %d", amount, (int)BYTES);
  return text;
}
