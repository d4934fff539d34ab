// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   transpose m to n
#pragma once

#include <string>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Along which an input is contiguous, and along which the output is: squares are read along the one and
// written along the other, around the caches, where lines of the output may begin anywhere
// (streams/transpose.h).
//
//   before  op (m: parallel, n: parallel) ins(%A[n, m]) outs(%B[m, n]) { a }    transpose m to n
//   after   alloc %stage
//           tiles { op ... outs(%stage[m, n]) vector (m: 16, n: 16)   a square
//                   non_temporal %B { op ... ins(%stage[m, n]) }      whole lines of the square before }
struct TransposeStep {
  static constexpr const char* kVerb = "transpose";
  static constexpr bool kForCpus = true;
  static constexpr bool kEndsList = true;
  std::string from, to;

  bool operator==(const TransposeStep&) const = default;
  void describe(Syntax& text) { text.iterator(from).word("to").iterator(to); }
};

ir::Block apply(const Work& work, const At& here, const TransposeStep& step);

}  // namespace einc::strategy
