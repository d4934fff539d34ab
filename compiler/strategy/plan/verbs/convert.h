// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   convert A to i32
#pragma once

#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// What the op reads of an input here is cast once, as the payload does wherever it reads it.
//
//   before  op (m: parallel, k: reduction) ins(%A[m, k], ...) { add(c, mul(cast<i32>(a), b)) }     convert A to i32
//   after   alloc %converted: tensor<M x K x i32>
//           op (x: parallel, x1: parallel) ins(%A[x, x1]) outs(%converted[x, x1]) { cast<i32>(a) }
//           op (m: parallel, k: reduction) ins(%converted[m, k], ...) { add(c, mul(converted, b)) }
struct ConvertStep {
  static constexpr const char* kVerb = "convert";
  static constexpr bool kInRegion = true;
  static constexpr bool kForCpus = true;
  OperandName operand;
  ir::ScalarType type;
  bool isOnStack = false;

  bool operator==(const ConvertStep&) const = default;
  std::vector<OperandName> copied() const { return {operand}; }
  void describe(Syntax& text) {
    text.operand(operand).word("to").type(type).flag("on", isOnStack, "stack");
  }
};

ir::Block apply(const Work& work, At here, const ConvertStep& step);

}  // namespace einc::strategy
