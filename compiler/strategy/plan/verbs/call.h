// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   call cblas otherwise { loops }
//   call my_function
//
//   before  op (m: parallel, ...) ins(%A_m0[m, k], %B[k, n]) outs(%C_m0[m, n]) { (a, b, c) -> add(c, mul(a, b)) }
//   after   library cblas gemm (m: m, n: n, k: k) op (m: parallel, ...) ... else { what is chosen }
//   after   external my_function (%A_m0, %B, %C_m0) { op (m: parallel, ...) ... }
#pragma once

#include <string>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// What is left of the op is computed by a library (cblas, blis), where it takes the sizes and strides that
// it gets, and otherwise by the steps of the list, or as the model chooses; or by a function of the user's
// own, which gets a descriptor of what there is of each operand here.
struct CallStep {
  static constexpr const char* kVerb = "call";
  static constexpr bool kEndsList = true;
  static constexpr bool kForCpus = true;
  std::string function;
  Steps otherwise;

  bool operator==(const CallStep&) const = default;
  void describe(Syntax& text) { text.name(function).optionalSteps("otherwise", otherwise); }
  // So a function gets the tensors themselves, unless they are in tiles.
  bool needsReady() const { return false; }
};

ir::Block apply(const Work& work, At here, const CallStep& step);

}  // namespace einc::strategy
