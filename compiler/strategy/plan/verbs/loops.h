// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   loops
#pragma once

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Scalar loops.
//
//   before  op (m: parallel) ins(%A[m]) outs(%B[m])                    loops
//   after   the same, which is lowered to loops over its positions
struct LoopsStep {
  static constexpr const char* kVerb = "loops";
  static constexpr bool kEndsList = true;

  bool operator==(const LoopsStep&) const = default;
  void describe(Syntax&) {}
  bool needsReady() const { return false; }
};

ir::Block apply(const Work& work, At here, const LoopsStep& step);

}  // namespace einc::strategy
