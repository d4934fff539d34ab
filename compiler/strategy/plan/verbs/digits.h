// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   digits m by 16 as m_high, n by S as x { ... } left of m { ... } left of n { ... }
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Each iterator = name * by + iterator: its digits, in all positions but what is `left` behind whole
// multiples. Where operands divide it by `by`, nothing is divided then.
//
//   before  op (m: parallel) ins(%P[m floordiv 16, m mod 16])          digits m by 16 as m_high ...
//   after   op (m: parallel) ins(%P_left[m])                           of what is left behind whole multiples
//           op (m_high: parallel, m: parallel) ins(%P_digits[m_high, m])
struct DigitsStep {
  static constexpr const char* kVerb = "digits";
  static constexpr bool kForCpus = true;
  struct Digit {
    std::string iterator;
    affine::Expr by;
    std::string name;
    Steps left;  // with the digits of those before
    bool operator==(const Digit&) const = default;
  };
  std::vector<Digit> digits;
  Steps whole;

  bool operator==(const DigitsStep&) const = default;
  void describe(Syntax& text) {
    std::vector<std::pair<std::string, Steps*>> lists;
    text.each(digits, [&](Digit& digit) {
      text.iterator(digit.iterator).word("by").number(digit.by).word("as").name(digit.name);
    });
    for (Digit& digit : digits) lists.emplace_back(digit.iterator, &digit.left);
    text.steps(whole).leftOf(lists);
  }
  bool needsReady() const { return false; }
};

ir::Block apply(const Work& work, At here, const DigitsStep& step);

}  // namespace einc::strategy
