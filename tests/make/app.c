/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "dense.h"

int main(void) {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, bias[2] = {0, -10}, y[4];
  einc_memref_f32_2 A = {a, a, 0, {2, 3}, {3, 1}}, B = {b, b, 0, {3, 2}, {2, 1}};
  einc_memref_f32_2 Y = {y, y, 0, {2, 2}, {2, 1}};
  einc_memref_f32_1 Bias = {bias, bias, 0, {2}, {1}};
  einc_status status = dense(&A, &B, &Bias, &Y);
  printf("%d: %g %g %g %g\n", status, y[0], y[1], y[2], y[3]);
  return 0;
}
