/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* A kernel that is computed by a function of the user's own, in a library of its own. */
#include "own.h"

#include <stdio.h>

int main(void) {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, c[4] = {10, 20, 30, 40};
  einc_memref_f32_2 A = {a, a, 0, {2, 3}, {3, 1}}, B = {b, b, 0, {3, 2}, {2, 1}};
  einc_memref_f32_2 C = {c, c, 0, {2, 2}, {2, 1}};
  int passed =
      own_matmul(&A, &B, &C) == EINC_OK && c[0] == 14 && c[1] == 25 && c[2] == 40 && c[3] == 51;
  passed += own_matmul(&B, &B, &C) != EINC_OK && c[0] == 14;
  printf("%d passed, %d failed\n", passed, 2 - passed);
  return passed != 2;
}
