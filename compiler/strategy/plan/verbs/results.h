// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   results (m: 8, n: 4) { ... vectorize (m: 8, n: 4, k: 16) ... }
#pragma once

#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// The steps give a tile of results, which is at hand for the ops that are done on it.
struct ResultsStep {
  static constexpr const char* kVerb = "results";
  static constexpr bool kForCpus = true;
  std::vector<ir::Axis> axes;
  Steps body;

  bool operator==(const ResultsStep&) const = default;
  void describe(Syntax& text) { text.axes(axes).steps(body); }
};

ir::Block apply(const Work& work, At here, const ResultsStep& step);

}  // namespace einc::strategy
