// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A local that is computed from another, element by element, is in the other's memory, where nothing reads that any more.
//
//   before  op (m: parallel, n: parallel) ins(%S[m, n], %L[m]) outs(%E[m, n]) { (s, l, e) -> exp(sub(s, l)) }
//           ... reads %E
//   after   op (m: parallel, n: parallel) ins(%L[m]) outs(%S[m, n]) { (l, s) -> exp(sub(s, l)) }
//           ... reads %S
//
// Both would have memory as wholes: the one was written before the ops that are done together with this one, the other is
// read behind them. Ops that share loops share the same ones after that.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::strategy {

// `kernel` is at level tensors; ops that are done together stand in regions.
ir::Kernel computeInPlace(const ir::Kernel& kernel);

}  // namespace einc::strategy
