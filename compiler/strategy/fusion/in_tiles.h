// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which ops are done tile by tile of the last one's results (transforms/in_tiles.h): those where one reads in windows what
// others make, and does little with each element: all of it would be out of the caches until it is read. What tiles need of
// each other is computed twice.
//
//   A(y, x) +=! I(y + kh, x + kw) * K(kh, kw)
//   R(y, x) = max(A(y, x), 0)
//   O(h, w) max=! R(2 * h + ph, 2 * w + pw)      tile by tile of h: of R no more than a tile needs is kept
//
// A user says it in a schedule, of any ops that stand one behind the other, by their numbers as they stand before (behind
// in-rounds): with the tiles of the last one's loops; or, in braces that are empty, that they are not done so.
//
//   tiles 0 to 4 { tile h by 8 }
#pragma once

#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/decision.h"
#include "compiler/strategy/options.h"

namespace einc::strategy {

struct InTiles {
  ir::Kernel kernel;
  std::vector<RoundsReport> done;
  std::vector<SettingError> errors;
};

// `kernel` is at level tensors.
InTiles inTiles(const ir::Kernel& kernel, const ScheduleOptions& options);

}  // namespace einc::strategy
