/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
/* Prints what the kernels compute; the test knows what that is. */
#include <stdio.h>

#include "called.h"
#include "dense.h"
#include "fixed.h"

int main(void) {
  einc_status status;
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, bias[2] = {0, -10}, y[4], z[4];
  float s[3] = {1, 2, 3}, twice[3], c[4] = {100, 0, 0, 0}, sum[1];
  einc_memref_f32_2 A = {a, a, 0, {2, 3}, {3, 1}}, B = {b, b, 0, {3, 2}, {2, 1}};
  einc_memref_f32_2 Y = {y, y, 0, {2, 2}, {2, 1}}, Z = {z, z, 0, {2, 2}, {2, 1}};
  einc_memref_f32_2 C = {c, c, 0, {2, 2}, {2, 1}};
  einc_memref_f32_1 Bias = {bias, bias, 0, {2}, {1}}, S = {s, s, 0, {3}, {1}};
  einc_memref_f32_1 Twice = {twice, twice, 0, {3}, {1}};
  einc_memref_f32_0 Sum = {sum, sum, 0};
  status = dense(&A, &B, &Bias, &Y);
  printf("%d: %g %g %g %g\n", status, y[0], y[1], y[2], y[3]);
  status = fixed_dense(&A, &B, &Bias, &Z);
  printf("%d: %g %g %g %g\n", status, z[0], z[1], z[2], z[3]);
  status = fixed_sum(&S, &Sum);
  printf("%d: %g\n", status, sum[0]);
  status = scale(&S, &Twice);
  printf("%d: %g %g %g\n", status, twice[0], twice[1], twice[2]);
  status = product(&A, &B, &C);
  printf("%d: %g %g %g %g\n", status, c[0], c[1], c[2], c[3]);
  return 0;
}
