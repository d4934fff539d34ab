/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* A program that was written for a CBLAS, on kernels. */
#include <stdio.h>

void cblas_dgemm(int order, int transposedA, int transposedB, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc);

int main(void) {
  const double a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1};
  double c[4] = {10, 20, 30, 40};
  int good;
  cblas_dgemm(101, 111, 111, 2, 2, 3, 2, a, 3, b, 2, 1, c, 2);
  good = c[0] == 18 && c[1] == 30 && c[2] == 50 && c[3] == 62;
  printf("%d passed, %d failed\n", good, !good);
  return !good;
}
