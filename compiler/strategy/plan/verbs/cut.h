// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   cut n at n floordiv 64 * 64 { ... } rest { ... }
//   cut n at line of C (64) { ... } rest { ... }
//   cut m at 8 copying B (n: 48) { ... } rest { ... }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"
#include "compiler/strategy/plan/verbs/pack.h"

namespace einc::strategy {

// The positions before `at`, which is at most the extent, then those from there on. With `line`, `at`
// is where the first cache line of that operand begins along the iterator, or its first vector of
// `bytes`. With `copying` the first ones copy what they read of an input to a panel, on the way, which
// the others read.
//
//   before  op (m: parallel) ins(%A[m]) outs(%B[m])                    cut m at 8 { ... } rest { ... }
//   after   op (m: parallel) ins(%A_first[m]) outs(%B_first[m])        of 8 positions
//           op (m: parallel) ins(%A_rest[m]) outs(%B_rest[m])          of the others
struct CutStep {
  static constexpr const char* kVerb = "cut";
  static constexpr bool kInRegion = true;
  std::string iterator;
  affine::Expr at = {};
  std::optional<OperandName> line = {};
  int64_t bytes = 0;
  Steps first, rest;
  std::optional<PackStep> copying = {};

  bool operator==(const CutStep&) const = default;
  std::vector<OperandName> copied() const {
    return copying ? copying->copied() : std::vector<OperandName>();
  }
  void describe(Syntax& text) {
    text.iterator(iterator).word("at");
    if (text.optionBefore("line", "of", line))
      text.operand(*line).word("(").integer(bytes).word(")");
    else
      text.number(at);
    if (text.option("copying", copying)) copying->describe(text);
    text.steps(first).steps("rest", rest);
  }
};

ir::Block apply(const Work& work, At here, const CutStep& step);

}  // namespace einc::strategy
