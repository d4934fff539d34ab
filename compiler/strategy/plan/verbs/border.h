// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   border A
#pragma once

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// An input that is read outside its tensor is copied, with a border around it.
struct BorderStep {
  static constexpr const char* kVerb = "border";
  static constexpr bool kForCpus = true;
  OperandName operand;

  bool operator==(const BorderStep&) const = default;
  void describe(Syntax& text) { text.operand(operand); }
};

ir::Block apply(const Work& work, At here, const BorderStep& step);

}  // namespace einc::strategy
