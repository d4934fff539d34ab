// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "again.h"

einc_status denseFromAnotherFile() {
  float a[1][1] = {{2}}, b[1][1] = {{3}}, bias[1] = {1}, y[1][1];
  const einc_status status = dense(a, b, bias, y);
  return y[0][0] == 7 ? status : -1;
}
