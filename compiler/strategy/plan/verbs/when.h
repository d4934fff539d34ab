// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   when contiguous(B, n) and M <= 9 { ... } otherwise { ... }
//   when contiguous(B, k * n) { ... } otherwise { ... }
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// What may hold when the kernel runs.
struct Test {
  enum class Kind : uint8_t {
    Equal,       // left == right
    Less,        // left < right
    LessEqual,   // left <= right
    Aligned,     // lines of `operand` along `iterator` begin at multiples of `left` bytes
    Contiguous,  // neighbours along `iterator` are neighbours in the memory of `operand`
    Even,        // they are all equally far apart in it
    Borders,  // what is read outside a tensor along `iterator` is so at its ends, which are known
    Inside    // nothing is read outside a tensor
  };
  Kind kind;
  affine::Expr left = {}, right = {};
  OperandName operand = {};
  std::string iterator = {};
  std::vector<std::string> inner =
      {};  // Contiguous, Even, Aligned: all of these as one, the last fastest; Contiguous of a reduction: a word each

  bool operator==(const Test&) const = default;
  void describe(Syntax& text) {
    Kind read = Kind::Inside;
    if (text.optionBefore("contiguous", "(", kind == Kind::Contiguous)) {
      read = Kind::Contiguous;
      line(text.operand(operand).word(",")).word(")");
    } else if (text.optionBefore("even", "(", kind == Kind::Even)) {
      read = Kind::Even;
      line(text.operand(operand).word(",")).word(")");
    } else if (text.optionBefore("aligned", "(", kind == Kind::Aligned)) {
      read = Kind::Aligned;
      line(text.operand(operand).word(",")).word(",").number(left).word(")");
    } else if (text.optionBefore("borders", "(", kind == Kind::Borders)) {
      read = Kind::Borders;
      text.iterator(iterator).word(")");
    } else if (!text.alone("inside", kind == Kind::Inside)) {
      text.number(left);
      read = static_cast<Kind>(text.comparison(static_cast<unsigned>(kind)));
      text.number(right);
    }
    if (text.fills()) kind = read;
  }

 private:
  Syntax& line(Syntax& text) {
    text.iterator(iterator);
    if (!text.option("*", !inner.empty())) return text;
    return text.each(inner, [&](std::string& name) { text.iterator(name); }, "*");
  }
};

// The first of two ways whose tests hold. If the second is empty, there is nothing to do where the
// tests ask just for positions (0 < n), and else the model chooses.
//
//   before  op (m: parallel) ins(%A[m]) outs(%B[m])         when contiguous(A, m) { ... } otherwise { ... }
//   after   if unit %A[0] { what the first list makes of it } else { what the second does }
struct WhenStep {
  static constexpr const char* kVerb = "when";
  static constexpr bool kInSharedLoops = true;
  static constexpr bool kInRegion = true;
  std::vector<Test> tests;
  Steps then;
  Steps otherwise;

  bool operator==(const WhenStep&) const = default;
  void describe(Syntax& text) {
    text.each(tests, [&](Test& test) { test.describe(text); }, "and");
    text.steps(then).optionalSteps("otherwise", otherwise);
  }
  bool needsReady() const {
    return has(Test::Kind::Contiguous) || has(Test::Kind::Even) || has(Test::Kind::Aligned) ||
           has(Test::Kind::Borders);
  }
  bool asksAnOp() const {
    return has(Test::Kind::Borders) || has(Test::Kind::Even) || has(Test::Kind::Aligned);
  }
  bool looksOutside() const { return has(Test::Kind::Borders) || has(Test::Kind::Inside); }
  bool has(Test::Kind kind) const {
    return std::any_of(tests.begin(), tests.end(), [&](const Test& t) { return t.kind == kind; });
  }
};

ir::Block apply(const Work& work, At here, const WhenStep& step);

}  // namespace einc::strategy
