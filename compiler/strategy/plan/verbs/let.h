// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   let width = min(n, 4096 floordiv (m + 1))
//   let nc = (n ceildiv 48) * 48
#pragma once

#include <string>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// NAME = the least of several numbers, for the steps behind it.
//
//   before  op (m: parallel) ...                              let rows = min(m, 64)
//   after   bound rows = min(M, 64)
//           op (m: parallel) ...
struct LetStep {
  static constexpr const char* kVerb = "let";
  static constexpr bool kInSharedLoops = true;
  static constexpr bool kInRegion = true;
  std::string name;
  std::vector<affine::Expr> of;

  bool operator==(const LetStep&) const = default;
  void describe(Syntax& text) {
    text.name(name).word("=");
    if (text.optionBefore("min", "(", of.size() != 1)) {
      text.each(of, [&](affine::Expr& number) { text.number(number); }).word(")");
    } else {
      of.resize(1);
      text.number(of[0]);
    }
  }
  bool needsReady() const { return false; }
};

ir::Block apply(const Work& work, At here, const LetStep& step);

}  // namespace einc::strategy
