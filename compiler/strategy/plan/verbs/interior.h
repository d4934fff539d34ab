// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   interior w { ... } border { ... }
#pragma once

#include <string>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// The positions between the borders of an iterator, at which nothing along it is read outside a tensor;
// those before and behind them are the border.
//
//   before  op (m: parallel) ins(%A[m - 1] pad 0.0) outs(%B[m])        interior m { ... } border { ... }
//   after   op (m: parallel) ins(%A_before[m]) outs(%B_before[m])      the border
//           op (m: parallel) ins(%A_inside[m]) outs(%B_inside[m])      where nothing is outside
//           op (m: parallel) ins(%A_after[m]) outs(%B_after[m])
struct InteriorStep {
  static constexpr const char* kVerb = "interior";
  static constexpr bool kForCpus = true;
  std::string iterator;
  Steps inside, border;

  bool operator==(const InteriorStep&) const = default;
  bool looksOutside() const { return true; }
  void describe(Syntax& text) { text.iterator(iterator).steps(inside).steps("border", border); }
};

ir::Block apply(const Work& work, At here, const InteriorStep& step);

}  // namespace einc::strategy
