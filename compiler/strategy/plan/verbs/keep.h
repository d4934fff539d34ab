// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   keep (m: sums_rows, n: nc)
//   keep (m: rows) of E
#pragma once

#include <string>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Memory of so many positions along each iterator, all that it has here: for sums that a tile of a
// reduction leaves unfinished, where other ops are done on the tiles of an op, or, where ops share loops,
// for a tensor that they alone use.
struct KeepStep {
  static constexpr const char* kVerb = "keep";
  static constexpr bool kForCpus = true;
  struct Extent {
    std::string iterator;
    affine::Expr positions;
    bool operator==(const Extent&) const = default;
  };
  std::vector<Extent> memory;
  std::string tensor = {};  // "": sums

  bool operator==(const KeepStep&) const = default;
  void describe(Syntax& text) {
    text.list(memory, [&](Extent& extent) {
      text.iterator(extent.iterator).word(":").number(extent.positions);
    });
    if (text.option("of", !tensor.empty())) text.name(tensor);
  }
};

ir::Block apply(const Work& work, At here, const KeepStep& step);

}  // namespace einc::strategy
