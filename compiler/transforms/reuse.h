// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A tile that is made element by element of another, which nothing reads any more, takes its place in memory.
//
//   before  op (m, n) ins(%S[m, n]) outs(%X[m, n]) { exp(s) }
//           op (m, n: reduction) ins(%X[m, n]) outs(%T[m]) { add(t, x) }
//   after   op (m, n) outs(%S[m, n]) { exp(s) }
//           op (m, n: reduction) ins(%S[m, n]) outs(%T[m]) { add(t, s) }
#pragma once

#include <functional>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::transforms {

struct Reuse {
  // Whether a tensor is memory for these ops alone, which the first op that uses it overwrites.
  std::function<bool(unsigned tensor)> isTile;
  std::function<bool(size_t op)> mayBe;  // of such an op
  // Its results are in the place of others from there on.
  std::function<void(unsigned tensor)> isGone;
};
// All of them, in their order.
void reuse(const ir::Kernel& kernel, std::vector<ir::StructuredOp>& ops, const Reuse& reuse);

// Whether the first of the ops that uses it overwrites it.
bool isOverwritten(const std::vector<ir::StructuredOp>& ops, unsigned tensor);

}  // namespace einc::transforms
