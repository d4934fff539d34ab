/* Part of Einc. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "dense.h"
#include "fixed.h"

int main(void) {
  einc_status status;
  float s[3] = {1, 2, 3}, twice[3], sum[1];
  einc_memref_f32_1 S = {s, s, 0, {3}, {1}}, Twice = {twice, twice, 0, {3}, {1}};
  einc_memref_f32_0 Sum = {sum, sum, 0};
  status = scale(&S, &Twice);
  printf("%d: %g %g %g\n", status, twice[0], twice[1], twice[2]);
  status = fixed_sum(&S, &Sum);
  printf("%d: %g\n", status, sum[0]);
  return 0;
}
