// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   non_temporal C
#pragma once

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// What is stored to the operand goes around the caches.
//
//   before  op (m: parallel) ins(%A[m]) outs(%B[m])                    non_temporal B
//   after   non_temporal %B { op (m: parallel) ins(%A[m]) outs(%B[m]) }
struct NonTemporalStep {
  static constexpr const char* kVerb = "non_temporal";
  static constexpr bool kForCpus = true;
  OperandName operand;

  bool operator==(const NonTemporalStep&) const = default;
  void describe(Syntax& text) { text.operand(operand); }
};

ir::Block apply(const Work& work, At here, const NonTemporalStep& step);

}  // namespace einc::strategy
