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
// Other inputs may be read anywhere.
std::vector<std::vector<std::string>> sharedIterators(const ir::Kernel& kernel, const Ops& ops);

// The same, but what all of them only read does not say which iterators are one: on a device, positions
// may be shared that have nothing to do with what is read.
std::vector<std::vector<std::string>> sharedPositions(const ir::Kernel& kernel, const Ops& ops);

// Whether an index has iterators, and is not just one of them: in windows, say.
bool movesAlong(const ir::Operand& operand);

// Whether each of the iterators that these indices use is, by itself, one of them, and in no other.
bool standAlone(const std::vector<affine::Expr>& map, const std::vector<std::string>& iterators);

}  // namespace einc::strategy
