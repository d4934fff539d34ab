// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   border A
#pragma once

#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// An input that is read outside its tensor is copied, with a border around it.
//
//   before  op (m: parallel, k: reduction) ins(%A[m + k - 1] pad 0.0) outs(%C[m])        border A
//   after   alloc %padded_A: tensor<M + 2 x f32>
//           outline pad_a { copies %A to it, with what lies outside }
//           op (m: parallel, k: reduction) ins(%padded_A[m + k]) outs(%C[m])
struct BorderStep {
  static constexpr const char* kVerb = "border";
  static constexpr bool kInRegion = true;
  static constexpr bool kForCpus = true;
  OperandName operand;

  bool operator==(const BorderStep&) const = default;
  std::vector<OperandName> copied() const { return {operand}; }
  void describe(Syntax& text) { text.operand(operand); }
};

ir::Block apply(const Work& work, At here, const BorderStep& step);

}  // namespace einc::strategy
