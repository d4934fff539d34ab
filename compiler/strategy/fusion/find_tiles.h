// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that may be done tile by tile of the last one's results (in_tiles.h), and in tiles of what size.
//
//   op 0 (y, x) outs(%A[y, x])                                      %A is read in windows: of the rest of an image, it would
//   op 1 (y, x) ins(%I[y, x]) outs(%A[y, x])                        be out of the caches until that comes to it
//   op 2 (h, w, kh: reduction) ins(%A[2 * h + kh, w]) outs(%O[h, w])
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/decision.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/shared_iterators.h"
#include "compiler/transforms/tile_needs.h"

namespace einc::strategy {

struct FoundTiles {
  size_t first;  // the number of the first op
  transforms::Tiles tiles;
  size_t last() const { return first + tiles.ops.size() - 1; }
};

// Whether something of it is not only read element by element, as registers are.
bool staysInMemory(const transforms::Tiles& tiles, unsigned tensor);

// The first ones among ops that stand one behind the other, from `begin` on; what cannot be goes to `why`.
std::optional<FoundTiles> findTiles(const ir::Kernel& kernel, const Ops& ops, size_t begin,
                                    const ScheduleOptions& options, std::vector<RoundsReport>& why);

// Those of ops that a user names, in the tiles that these steps say; or why there are none.
Result<FoundTiles> tilesOf(const ir::Kernel& kernel, const Ops& ops, size_t first, size_t last,
                           const Steps& steps, const ScheduleOptions& options);

}  // namespace einc::strategy
