// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   copy B (n, k) as transposed on stack { loops }
//   convert A to i32
#pragma once

#include <string>
#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// What the op reads of an input here is copied, by steps of its own, to memory in which these iterators are
// the dimensions, outermost first. The name is that of the memory.
struct CopyStep {
  static constexpr const char* kVerb = "copy";
  static constexpr bool kForCpus = true;
  OperandName operand;
  std::vector<std::string> dimensions;
  std::string name;
  Steps how;
  bool isOnStack = false;

  bool operator==(const CopyStep&) const = default;
  void describe(Syntax& text) {
    text.operand(operand).word("(").iterators(dimensions).word(")").word("as").name(name);
    text.flag("on", isOnStack, "stack").steps(how);
  }
};

// What the op reads of an input here is cast once, as the payload does wherever it reads it.
struct ConvertStep {
  static constexpr const char* kVerb = "convert";
  static constexpr bool kForCpus = true;
  OperandName operand;
  ir::ScalarType type;
  bool isOnStack = false;

  bool operator==(const ConvertStep&) const = default;
  void describe(Syntax& text) {
    text.operand(operand).word("to").type(type).flag("on", isOnStack, "stack");
  }
};

ir::Block apply(const Work& work, At here, const CopyStep& step);
ir::Block apply(const Work& work, At here, const ConvertStep& step);

}  // namespace einc::strategy
