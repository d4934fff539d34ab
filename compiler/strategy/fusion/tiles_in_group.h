// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops in tiles (find_tiles.h) on a device: a workgroup does a tile, and what is kept of it is in the workgroup's memory, of which
// there is little. So tiles are small, and of all loops over the last op's results:
//
//   A(y, x, f) +=! I(y + kh, x + kw, c) * K(kh, kw, c, f)         tiles of oh, ow and f, each a workgroup's: of A there are
//   O(oh, ow, f) max=! A(2 * oh + ph, 2 * ow + pw, f)             9 x 9 x 32 elements for 4 x 4 x 32 results
//
// Whether they pay is estimated in loads: of what is near, for all that is computed, once or again, and of the device's memory,
// for what would be written and read as a whole.
#pragma once

#include <optional>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"
#include "compiler/target/device.h"
#include "compiler/transforms/tile_needs.h"

namespace einc::strategy {

// The best sizes of these tiles, and where they pay; or why they do nowhere.
std::optional<Reason> sizeInGroup(const ir::Kernel& kernel, transforms::Tiles& tiles,
                                  const target::Device& device);

// Memory for tiles of these sizes, and where it is enough; or why it is not.
std::optional<Reason> fitInGroup(const ir::Kernel& kernel, transforms::Tiles& tiles,
                                 const target::Device& device);

}  // namespace einc::strategy
