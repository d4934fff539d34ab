// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   fuse op 0
//   fuse op 2 by { tile n by 64 vectorize (n: 64) }
#pragma once

#include <cstdint>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Another op of the region is done here: by steps of its own, on what there is of it here, before the steps
// behind this one or behind them; or on the tile of results that these make, along its vectors.
//
//   before  op (m: parallel, n: parallel) outs(%T[m, n]) { 0.0 }                          fuse op 0
//           op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%T[m, n])
//           op (m: parallel, n: parallel) ins(%T[m, n]) outs(%Y[m, n]) { exp(t) }         fuse op 2
//   after   tiles of m and n {
//             alloc %T_tile: tensor<4 x 16 x f32> in stack
//             all three ops, on %T_tile
//           }
struct FuseStep {
  static constexpr const char* kVerb = "fuse";
  static constexpr bool kInSharedLoops = true;
  static constexpr bool kInRegion = true;
  int64_t op = 0;
  bool isOnTile = true;
  Steps by;

  bool operator==(const FuseStep&) const = default;
  void describe(Syntax& text) {
    text.word("op").integer(op);
    const bool isBy = text.option("by", !isOnTile);
    if (text.fills()) isOnTile = !isBy;
    if (isBy) text.steps(by);
  }
  bool needsReady() const { return !isOnTile; }
};

ir::Block apply(const Work& work, At here, const FuseStep& step);

}  // namespace einc::strategy
