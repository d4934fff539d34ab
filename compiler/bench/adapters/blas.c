// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// OpenBLAS and BLIS, by the C interface they share. The one is found by EINC_BENCH_LIBRARY, the
// file to load.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "move.h"
#include "name.h"

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

typedef void gemm_f32(int, int, int, int, int, int, float, const float *, int, const float *, int,
                      float, float *, int);
typedef void gemm_f64(int, int, int, int, int, int, double, const double *, int, const double *,
                      int, double, double *, int);
typedef void gemv_f32(int, int, int, int, float, const float *, int, const float *, int, float,
                      float *, int);
typedef void gemv_f64(int, int, int, int, double, const double *, int, const double *, int, double,
                      double *, int);
typedef void copy_f32(int, int, int, int, float, const float *, int, float *, int);
typedef void copy_f64(int, int, int, int, double, const double *, int, double *, int);

static void *library;
static struct einc_bench_problem p;
static const char *a, *b;
static char *c;
static const void *given[2];
static void *moved[3];
static void *output, *gemm, *gemv, *omatcopy;

static int prepare_gemm(void) {
  gemm = dlsym(library, p.is_double ? "cblas_dgemm" : "cblas_sgemm");
  gemv = dlsym(library, p.is_double ? "cblas_dgemv" : "cblas_sgemv");
  if (!gemm || !gemv) return 1;
  size_t size = p.is_double ? 8 : 4;
  for (int i = 0; i < 3; ++i)
    if (p.moves[i].rank) {
      moved[i] =
          aligned_alloc(64, ((size_t)einc_bench_elements(&p.moves[i]) * size + 63) / 64 * 64);
      if (!moved[i]) return 1;
    }
  a = moved[0] ? moved[0] : given[0];
  b = moved[1] ? moved[1] : given[1];
  c = moved[2] ? moved[2] : output;
  return 0;
}

int einc_bench_prepare(const struct einc_bench_problem *problem, const void *first,
                       const void *second, void *out) {
  if (problem->type_a) return 1;
  p = *problem;
  library = dlopen(EINC_BENCH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 2;
  given[0] = first, given[1] = second, output = out;
  if (p.kind == EINC_BENCH_GEMM) return prepare_gemm();
  if (p.kind != EINC_BENCH_PERMUTE || p.moves[0].rank != 2) return 1;
  const struct einc_bench_move *m = &p.moves[0];
  omatcopy = dlsym(library, p.is_double ? "cblas_domatcopy" : "cblas_somatcopy");
  return !omatcopy || m->from[1] != 1 || (m->to[0] != 1 && m->to[1] != 1);
}

static void vector(void) {
  // One of m and n is 1: the other's matrix times a vector.
  int by_row = p.n == 1;
  const char *matrix = by_row ? a : b, *x = by_row ? b : a;
  int transposed = by_row ? p.transposed_a : !p.transposed_b;
  int64_t outer = by_row ? p.m : p.n;
  int rows = (int)(transposed ? p.k : outer), columns = (int)(transposed ? outer : p.k);
  int flag = transposed ? TRANSPOSED : PLAIN;
  double beta = p.overwrites || moved[2] ? 0 : 1;
  if (p.is_double)
    ((gemv_f64 *)gemv)(ROW_MAJOR, flag, rows, columns, 1, (const double *)matrix, columns,
                       (const double *)x, 1, beta, (double *)c, 1);
  else
    ((gemv_f32 *)gemv)(ROW_MAJOR, flag, rows, columns, 1, (const float *)matrix, columns,
                       (const float *)x, 1, (float)beta, (float *)c, 1);
}

static void matrices(void) {
  int m = (int)p.m, n = (int)p.n, k = (int)p.k;
  int ta = p.transposed_a ? TRANSPOSED : PLAIN, tb = p.transposed_b ? TRANSPOSED : PLAIN;
  int lda = p.transposed_a ? m : k, ldb = p.transposed_b ? k : n;
  double beta = p.overwrites || moved[2] ? 0 : 1;
  size_t size = p.is_double ? 8 : 4;
  for (int64_t i = 0; i < p.batch; ++i) {
    const void *ai = a + (size_t)(i * p.m * p.k) * size, *bi = b + (size_t)(i * p.k * p.n) * size;
    void *ci = c + (size_t)(i * p.m * p.n) * size;
    if (p.is_double)
      ((gemm_f64 *)gemm)(ROW_MAJOR, ta, tb, m, n, k, 1, ai, lda, bi, ldb, beta, ci, n);
    else
      ((gemm_f32 *)gemm)(ROW_MAJOR, ta, tb, m, n, k, 1, ai, lda, bi, ldb, (float)beta, ci, n);
  }
}

static void permute(void) {
  const struct einc_bench_move *m = &p.moves[0];
  int rows = (int)m->sizes[0], columns = (int)m->sizes[1];
  int flag = m->to[0] == 1 ? TRANSPOSED : PLAIN, ldb = m->to[0] == 1 ? rows : columns;
  if (p.is_double)
    ((copy_f64 *)omatcopy)(ROW_MAJOR, flag, rows, columns, 1, given[0], columns, output, ldb);
  else
    ((copy_f32 *)omatcopy)(ROW_MAJOR, flag, rows, columns, 1, given[0], columns, output, ldb);
}

void einc_bench_run(void) {
  if (p.kind == EINC_BENCH_PERMUTE) {
    permute();
    return;
  }
  for (int i = 0; i < 2; ++i)
    if (moved[i]) einc_bench_move_any(p.is_double, &p.moves[i], given[i], moved[i], 0);
  if (p.batch == 1 && (p.m == 1 || p.n == 1))
    vector();
  else
    matrices();
  if (!moved[2]) return;
  // The move describes C as the kernel has it; the product lies the other way round.
  struct einc_bench_move back = p.moves[2];
  memcpy(back.from, p.moves[2].to, sizeof back.from);
  memcpy(back.to, p.moves[2].from, sizeof back.to);
  einc_bench_move_any(p.is_double, &back, moved[2], output, !p.overwrites);
}

const char *einc_bench_describe(void) {
  static char text[256];
  einc_bench_name(library, text, sizeof text);
  return text;
}
