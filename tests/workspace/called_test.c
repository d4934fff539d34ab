/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* Kernels that call a BLAS for what it takes, and for what it does not do it themselves; this
 * program has the BLAS's function, which counts. */
#include "called.h"

#include <stdio.h>

#include "scheduled.h"
#include "tuned.h"

void cblas_sgemm(int order, int transposedA, int transposedB, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

static int calls;

void cblas_sgemm(int order, int transposedA, int transposedB, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc) {
  int i, j, t;
  calls += order == 101 && transposedA == 111 && transposedB == 111;
  for (i = 0; i < m; ++i)
    for (j = 0; j < n; ++j) {
      float sum = 0;
      for (t = 0; t < k; ++t) sum += a[i * lda + t] * b[t * ldb + j];
      c[i * ldc + j] = beta * c[i * ldc + j] + alpha * sum;
    }
}

typedef einc_status kernel(const einc_memref_f32_2 *, const einc_memref_f32_2 *,
                           einc_memref_f32_2 *);

/* rows x 3 times 3 x 2; with gaps no stride of B is 1. */
static int works(kernel *matmul, int rows, int gaps, int expected) {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[12] = {1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0};
  float dense[6] = {1, 0, 0, 1, 1, 1}, c[4] = {10, 20, 30, 40};
  einc_memref_f32_2 A = {a, a, 0, {2, 3}, {3, 1}}, C = {c, c, 0, {2, 2}, {2, 1}};
  einc_memref_f32_2 B = {dense, dense, 0, {3, 2}, {2, 1}};
  if (gaps) {
    einc_memref_f32_2 wide = {b, b, 0, {3, 2}, {4, 2}};
    B = wide;
  }
  A.sizes[0] = C.sizes[0] = rows;
  calls = 0;
  return matmul(&A, &B, &C) == EINC_OK && calls == expected && c[0] == 14 && c[1] == 25 &&
         c[2] == (rows == 2 ? 40 : 30) && c[3] == (rows == 2 ? 51 : 40);
}

int main(void) {
  int passed = works(called_matmul, 2, 0, 1) + works(called_matmul, 2, 1, 0) +
               works(called_matmul, 1, 0, 1) + works(scheduled_matmul, 2, 0, 0) +
               works(tuned_matmul, 2, 0, 1) + works(tuned_matmul, 2, 1, 0) +
               works(tuned_matmul, 1, 0, 0);
  printf("%d passed, %d failed\n", passed, 7 - passed);
  return passed != 7;
}
