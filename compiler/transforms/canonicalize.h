// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The statement tree as a good engineer would have written it, once sizes are known. Sizes of tiles
// and bounds that are constants are written as such; of two ways of which constants decide one is
// left; loops of one round are their bodies. Loops without rounds go, unless nothing else writes a
// tensor that has elements: one that leaves them as they are stays then. With promised strides, what
// is done for others goes. Where its first term is known, a sum starts from that (first_terms.h).
//
//   before  bound mc = min(96, 8)
//           tile m0 : m0_size = 0 .. 64 by mc parallel {
//             if 1 <= 64 and m0_size == 8 {
//               tile n0 : n0_size = 0 .. 48 by 48 parallel { op ins(%A[m0 + m, n0 + n]) ... }
//             } else { op ... }
//           }
//   after   tile m0 : m0_size = 0 .. 64 by 8 parallel {
//             op ins(%A[m0 + m, n]) ...
//           }
//
// It changes no value. Run where the tree is tiled, so that what is decided is not made into code,
// and again on what is printed, for the loops that came later.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

struct CanonicalizeOptions {
  bool keepsLoops = false;  // of one round and of none: dispatches are made of loops
  bool contiguous = false;  // neighbours along arguments' last dimensions are so in memory
};

// Names of bounds and of tiles' sizes stand for one thing each. Loops on threads stay.
ir::Kernel canonicalize(ir::Kernel kernel, const CanonicalizeOptions& options = {});

}  // namespace einc::transforms
