/* A program that knows nothing of Einc: it was written for a CBLAS. */
#include <stdio.h>

void cblas_sgemm(int layout, int trans_a, int trans_b, int m, int n, int k, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

int main(void) {
  const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1};
  float c[4];
  cblas_sgemm(101, 111, 111, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2); /* row by row, nothing transposed */
  printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
  return 0;
}
