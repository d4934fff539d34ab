// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that run block by block of the parallel iterators that they have in common, so that what one
// leaves for the next is still in cache.
//
//   before  fused {
//             op (m: parallel, n: parallel) ins(%X[m, n]) outs(%E[m, n]) { exp(x) }
//             op (m: parallel, n: reduction) ins(%E[m, n]) outs(%S[m]) { add(s, e) }
//             op (m: parallel, n: parallel) ins(%E[m, n], %S[m]) outs(%Y[m, n]) { div(e, s) }
//           }
//   after   bound rows = ...                        as many as fit in the cache
//           alloc %E_block                          [rows x N]; %S_block: [rows]
//           tile m0 by rows {
//             op (m: parallel, n: parallel) ins(%X_m0[m, n]) outs(%E_block[m, n]) { exp(x) }
//             ...                                   each as if it were alone
//           }
// On threads, blocks are shared out, unless there are few positions, and much is done for each:
//   after   if M < 4 and 524288 < N * 3 + 3 {
//             alloc %E; op ...; op ...; op ...      each on threads
//           } else { ... }                          what is above
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

using Ops = std::vector<ir::StructuredOp>;

// The parallel iterators that the ops have in common: for each the name that it has in each op.
// What one of the ops writes at a position of theirs, others read or write at that position alone.
// Nothing unless each index of each operand is one iterator, or free of them.
std::vector<std::vector<std::string>> sharedIterators(const ir::Kernel& kernel, const Ops& ops);

// The same, where other inputs may be read anywhere, and what is written needs to be at the
// position of the iterator alone, wherever it is in other dimensions.
std::vector<std::vector<std::string>> sharedPositions(const ir::Kernel& kernel, const Ops& ops);

// The ops in blocks; `each` makes code of one of them on a block, without threads, and `alone` of
// all of them without blocks. Local tensors that no op but these uses get memory here, most for a
// block only.
ir::Block inBlocks(transforms::Builder& builder, const Ops& ops, const ScheduleOptions& options,
                   const std::function<ir::Block(const ir::StructuredOp&)>& each,
                   const std::function<ir::Block()>& alone);

}  // namespace einc::strategy
