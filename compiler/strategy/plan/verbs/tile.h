// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   tile m by 64 on threads (131072)
//   tile n by 1024 on workgroups
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// A loop that threads share, so that each gets `work` iterations of the op at least. With `outer`,
// loops over other parallel iterators of the op are shared where this one is not.
struct Threads {
  int64_t work;
  bool outer = false;
  bool operator==(const Threads&) const = default;
};

// Loops over blocks of `by` positions. With 1 the iterator is gone from the op.
//
//   before  op (m: parallel) ins(%A[m]) outs(%B[m])                      tile m by 8
//   after   tile m0 : m0_size = 0 .. M by 8 parallel {
//             view %A_m0: tensor<m0_size x f32> = (m) -> %A[m0 + m]
//             op (m: parallel) ins(%A_m0[m]) outs(%B_m0[m])
//           }
struct TileStep {
  static constexpr const char* kVerb = "tile";
  static constexpr bool kInSharedLoops = true;
  static constexpr bool kInRegion = true;
  std::string iterator;
  affine::Expr by;
  std::optional<Threads> threads = {};
  bool onWorkgroups = false;  // parts of rounds (fusion/in_rounds.h): else 'bind' says that

  bool operator==(const TileStep&) const = default;
  std::vector<std::string> along() const { return {iterator}; }
  void describe(Syntax& text) {
    text.iterator(iterator).word("by").number(by);
    if (!text.option("on", threads || onWorkgroups)) return;
    text.flag("workgroups", onWorkgroups);
    if (onWorkgroups) return;
    if (text.fills()) threads.emplace();
    text.word("threads").word("(").integer(threads->work).flag("outer", threads->outer).word(")");
  }
};

ir::Block apply(const Work& work, At here, const TileStep& step);

}  // namespace einc::strategy
