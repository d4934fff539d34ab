// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   results (m: 8, n: 4) { ... vectorize (m: 8, n: 4, k: 16) ... }
//   results (m: 4 over 16, n: 4 over 16) { ... bind m by 4 over 16, n by 4 over 16 to invocations ... }
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// The steps give a tile of results, which is at hand for the ops that are done on it. On a device all results
// of a workgroup stay in the registers of its invocations while the steps sum them up: `over` so many of these.
// What the sums start from is done before, and what reads or stores them behind.
//
//   before  op (m: parallel, n: parallel) outs(%T[m, n]) { 0.0 }                 fuse op 0 fuse op 2 tile ...
//           op (m: parallel, n: parallel, k: reduction) ... outs(%T[m, n])      results (m: 4, n: 16) { ... }
//           op (m: parallel, n: parallel) ins(%T[m, n]) outs(%Y[m, n])
//   after   op ... outs(%T_tile[m, n]) { 0.0 } vector (m: 4, n: 16)
//           what the steps make of the sums, on %T_tile
//           op ... ins(%T_tile[m, n]) outs(%Y[m, n]) vector (m: 4, n: 16)
struct ResultsStep {
  static constexpr const char* kVerb = "results";
  static constexpr bool kInRegion = true;
  struct Side {
    ir::Axis axis;
    std::optional<int64_t> over = {};
    bool operator==(const Side&) const = default;
  };
  std::vector<Side> sides;
  Steps body;

  bool operator==(const ResultsStep&) const = default;
  void describe(Syntax& text) {
    text.list(sides, [&](Side& side) {
      text.axis(side.axis);
      if (text.option("over", side.over)) text.integer(*side.over);
    });
    text.steps(body);
  }
};

ir::Block apply(const Work& work, At here, const ResultsStep& step);

}  // namespace einc::strategy
