// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   inline op 1
#pragma once

#include <cstdint>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// An op among those that share loops is no more: what it computes is computed where it is read,
// before all loops. Here op 0:
//
//   before  op (m: parallel, n: parallel) ins(%X[m, n]) outs(%E[m, n]) { exp(x) }
//           op (m: parallel, n: reduction) ins(%E[m, n]) outs(%S[m]) { add(s, e) }
//   after   op (m: parallel, n: reduction) ins(%X[m, n]) outs(%S[m]) { add(s, exp(x)) }
struct InlineStep {
  static constexpr const char* kVerb = "inline";
  static constexpr bool kInSharedLoops = true;
  int64_t op = 0;

  bool operator==(const InlineStep&) const = default;
  void describe(Syntax& text) { text.word("op").integer(op); }
};

ir::Block apply(const Work& work, At here, const InlineStep& step);

}  // namespace einc::strategy
