// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   function tile { vectorize (m: 8, n: 48) }
#pragma once

#include <string>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// The steps in a function of the code.
//
//   before  op (m: parallel) ...                                       function tile { ... }
//   after   outline tile { what the steps make of it }
struct FunctionStep {
  static constexpr const char* kVerb = "function";
  static constexpr bool kInRegion = true;
  static constexpr bool kForCpus = true;
  std::string name;
  Steps body;

  bool operator==(const FunctionStep&) const = default;
  void describe(Syntax& text) { text.name(name).steps(body); }
};

ir::Block apply(const Work& work, const At& here, const FunctionStep& step);

}  // namespace einc::strategy
