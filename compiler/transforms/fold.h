// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Sizes of tiles and bounds that are constants are written as such, and of two ways of which
// constants decide one is left. Loops without rounds go, unless nothing else writes a tensor that
// has elements: one that leaves them as they are stays then.
//
//   before  bound mc = min(96, 8)
//           tile m0 : m0_size = 0 .. 64 by mc parallel {
//             if 1 <= 64 and m0_size == 8 { op ... } else { op ... }
//           }
//   after   tile m0 : m0_size = 0 .. 64 by 8 parallel {
//             op ...
//           }
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// `kernel` is tiled; names of bounds and of tiles' sizes stand for one thing each. What has no
// rounds stays if `keepsEmpty`: dispatches keep the loops that they are made of.
void fold(ir::Kernel& kernel, bool keepsEmpty = false);

}  // namespace einc::transforms
