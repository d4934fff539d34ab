// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// LIBXSMM: products of small matrices, by code made for their very sizes when they are prepared. It
// counts columns first, so a row-major C = A B is its C^T = B^T A^T.
#include <libxsmm.h>
#include <stdio.h>

#include "adapter.h"

static struct einc_bench_problem p;
static const void *a, *b;
static void *c;
static libxsmm_smmfunction f32;
static libxsmm_dmmfunction f64;

int einc_bench_prepare(const struct einc_bench_problem *problem, const void *first,
                       const void *second, void *out) {
  if (problem->type_a) return 1;
  p = *problem;
  a = first, b = second, c = out;
  if (p.kind != EINC_BENCH_GEMM || p.moves[0].rank || p.moves[1].rank || p.moves[2].rank) return 1;
  // Its own manual: for products of up to 64 x 64 x 64.
  if (p.m * p.n * p.k > 64 * 64 * 64) return 1;
  libxsmm_init();
  const libxsmm_blasint m = (libxsmm_blasint)p.m, n = (libxsmm_blasint)p.n,
                        k = (libxsmm_blasint)p.k;
  const libxsmm_blasint lda = p.transposed_a ? m : k, ldb = p.transposed_b ? k : n;
  const int flags = (p.transposed_b ? LIBXSMM_GEMM_FLAG_TRANS_A : 0) |
                    (p.transposed_a ? LIBXSMM_GEMM_FLAG_TRANS_B : 0);
  const int prefetch = LIBXSMM_PREFETCH_NONE;
  if (p.is_double) {
    const double one = 1, beta = p.overwrites ? 0 : 1;
    f64 = libxsmm_dmmdispatch(n, m, k, &ldb, &lda, &n, &one, &beta, &flags, &prefetch);
    return f64 == NULL;
  }
  const float one = 1, beta = p.overwrites ? 0 : 1;
  f32 = libxsmm_smmdispatch(n, m, k, &ldb, &lda, &n, &one, &beta, &flags, &prefetch);
  return f32 == NULL;
}

void einc_bench_run(void) {
  for (int64_t i = 0; i < p.batch; ++i)
    if (p.is_double)
      f64((const double *)b + i * p.k * p.n, (const double *)a + i * p.m * p.k,
          (double *)c + i * p.m * p.n);
    else
      f32((const float *)b + i * p.k * p.n, (const float *)a + i * p.m * p.k,
          (float *)c + i * p.m * p.n);
}

const char *einc_bench_describe(void) {
  static char text[128];
  snprintf(text, sizeof text, "LIBXSMM %s, target %s", LIBXSMM_VERSION, libxsmm_get_target_arch());
  return text;
}
