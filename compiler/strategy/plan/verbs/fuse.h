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
struct FuseStep {
  static constexpr const char* kVerb = "fuse";
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
