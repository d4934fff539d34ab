// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What ops have in common, so that they can be done in the same loops.
//
//   op (m: parallel, n: parallel) ins(%X[m, n]) outs(%E[m, n]) { ... }
//   op (i: parallel, j: reduction) ins(%E[i, j]) outs(%S[i]) { ... }       {m, i}
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::strategy {

using Ops = std::vector<ir::StructuredOp>;

// The parallel iterators that the ops have in common: for each the name that it has in each op.
// What one of the ops writes at a position of theirs, others read or write at that position alone.
// Nothing unless each index of each operand is one iterator, or free of them.
std::vector<std::vector<std::string>> sharedIterators(const ir::Kernel& kernel, const Ops& ops);

// The same, where other inputs may be read anywhere, and what is written needs to be at the
// position of the iterator alone, wherever it is in other dimensions.
std::vector<std::vector<std::string>> sharedPositions(const ir::Kernel& kernel, const Ops& ops);

}  // namespace einc::strategy
