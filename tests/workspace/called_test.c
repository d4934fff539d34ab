/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* A kernel that calls a BLAS for what it takes, and for what it does not does it itself. */
#include "called.h"

#include <stdio.h>

int main(void) {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[12] = {1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0};
  int passed = 0, gaps;
  for (gaps = 0; gaps < 2; ++gaps) { /* with gaps no stride of B is 1 */
    float dense[6] = {1, 0, 0, 1, 1, 1}, c[4] = {10, 20, 30, 40};
    einc_memref_f32_2 A = {a, a, 0, {2, 3}, {3, 1}}, C = {c, c, 0, {2, 2}, {2, 1}};
    einc_memref_f32_2 B = {dense, dense, 0, {3, 2}, {2, 1}};
    if (gaps) {
      einc_memref_f32_2 wide = {b, b, 0, {3, 2}, {4, 2}};
      B = wide;
    }
    passed +=
        called_matmul(&A, &B, &C) == 0 && c[0] == 14 && c[1] == 25 && c[2] == 40 && c[3] == 51;
  }
  printf("%d passed, %d failed\n", passed, 2 - passed);
  return passed != 2;
}
