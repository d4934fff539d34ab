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
//   steps   let rows = min(m, 32768 floordiv (N * 3 + 2) + 1)      as many as fit in the cache
//           tile m by rows
//           keep (m: rows) of E
//           keep (m: rows) of S
//           fuse op 0 by { ... }                    each as if it were alone
//           fuse op 1 by { ... }
//           fuse op 2 by { ... }
//   after   bound rows = ...
//           alloc %E_block                          [rows x N]; %S_block: [rows]
//           tile m0 by rows {
//             op (m: parallel, n: parallel) ins(%X_m0[m, n]) outs(%E_block[m, n]) { exp(x) }
//             ...
//           }
// Where none of the ops reduces, loops around the last one take several positions at a time, too: where a block
// is less than the cache has room for, and where neighbours in memory lie along them.
// (Ops that do little at each position need no blocks: in_registers.h.)
// On threads, blocks are shared out, unless there are few positions, and much is done for each: then each op
// is done by itself.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/shared_iterators.h"

namespace einc::strategy {

struct SharedLoops {
  std::vector<Test> few;  // with threads: when each op is done by itself
  Steps blocks;           // before the ops: loops over blocks, and what is kept for one alone
  // Neighbours in memory lie along outer loops, too. Where there are many, blocks have several:
  std::vector<Test>
      many;  // none: there are no such loops, or `blocks` has several anyway, as no op reduces
  Steps lines;
};

// Local tensors that the ops use at positions of their shared iterators alone, and no other op does.
std::vector<unsigned> keptAmong(const ir::Kernel& kernel, const Ops& ops,
                                const std::vector<std::vector<std::string>>& classes);

// Ops that have iterators in common.
SharedLoops sharedLoops(const ir::Kernel& kernel, const Ops& ops, const ScheduleOptions& options);

}  // namespace einc::strategy
