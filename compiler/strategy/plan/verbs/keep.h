// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   keep (m: sums_rows, n: nc)
#pragma once

#include <string>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Sums that a tile of a reduction leaves unfinished are kept in memory of so many positions along each
// iterator, all that it has. For ops that are done on the tiles of another.
struct KeepStep {
  static constexpr const char* kVerb = "keep";
  static constexpr bool kForCpus = true;
  struct Extent {
    std::string iterator;
    affine::Expr positions;
    bool operator==(const Extent&) const = default;
  };
  std::vector<Extent> memory;

  bool operator==(const KeepStep&) const = default;
  void describe(Syntax& text) {
    text.list(memory, [&](Extent& extent) {
      text.iterator(extent.iterator).word(":").number(extent.positions);
    });
  }
};

ir::Block apply(const Work& work, At here, const KeepStep& step);

}  // namespace einc::strategy
