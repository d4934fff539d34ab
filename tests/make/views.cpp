// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The runtime's views, whose functions are in its library.
#include <cstdio>

#include "dense.h"
#include "runtime/memref.hpp"

int main() {
  float data[6] = {1, 2, 3, 4, 5, 6}, out[3];
  const auto all = einc::MemRef<float, 1>::make(data, {6});
  const auto result = einc::MemRef<float, 1>::make(out, {3});
  if (!all || !result) return 1;
  const auto odd = all->slice(0, 0, 6, 2);
  if (!odd) return 1;
  const einc_status status = scale(*odd, *result);
  std::printf("%d: %g %g %g\n", status, out[0], out[1], out[2]);
}
