// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   order n, m, k
#pragma once

#include <string>
#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// The order of the op's loops, all of them.
//
//   before  op (m: parallel, n: parallel) ...                          order n, m
//   after   op (n: parallel, m: parallel) ...
struct OrderStep {
  static constexpr const char* kVerb = "order";
  static constexpr bool kInRegion = true;
  std::vector<std::string> iterators;

  bool operator==(const OrderStep&) const = default;
  void describe(Syntax& text) { text.iterators(iterators); }
};

ir::Block apply(const Work& work, At here, const OrderStep& step);

}  // namespace einc::strategy
