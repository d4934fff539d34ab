// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   alone { tile n by 16 vectorize (n: 16) }
#pragma once

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// What there is of the op here is done as an op by itself: of what steps before have found out, these know
// nothing, and threads share none of its loops.
//
//   before  op (m: parallel) ins(%A_m0[m]) outs(%B_m0[m])              in a tile; alone { tile m by 16 loops }
//   after   tile m01 : m01_size = 0 .. m0_size by 16 parallel { op ... }      on no threads
struct AloneStep {
  static constexpr const char* kVerb = "alone";
  static constexpr bool kEndsList = true;
  static constexpr bool kForCpus = true;
  static constexpr bool kLooksForItself = true;
  Steps steps;

  bool operator==(const AloneStep&) const = default;
  void describe(Syntax& text) { text.steps(steps); }
  bool needsReady() const { return false; }
};

ir::Block apply(const Work& work, At here, const AloneStep& step);

}  // namespace einc::strategy
