// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   parts k by 4096 as k_part { ... } fill { ... } combine { ... } rest { ... }
//   parts kh, kw by width as k_part together { ... } combine { ... }
//   parts k by width as k_part of op 1 together { ... } combine { ... }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// A reduction in parts of `by` positions, `name` of them, that do not wait for each other: memory for their
// results is filled with what a sum starts from, each part is done, they are combined, and the positions
// behind the last whole part are added. Several reductions are one from there on.
//
// Each of these is an op, done by a list of its own; or `together`: the first list is for op 0,
// which fills the memory, and op 1, which does the parts, as ops that share loops; `combine` for
// what combines the parts, op 0, and what adds the rest, op 1. Of an op among others that share
// loops, the second list is for all of them, with these two in its place, counted from 0.
//
//   before  op (n: reduction) ins(%A[n]) outs(%S[]) { (a, s) -> add(s, a) }          parts n by 1024 as n_part ...
//   after   op (n_part: parallel) outs(%S_parts[n_part]) { 0.0 }                                         fill
//           op (n_part: parallel, n: reduction) ins(%A_parts[n_part, n]) outs(%S_parts[n_part])          parts
//           op (n_part: reduction) ins(%S_parts[n_part]) outs(%S[]) { (s_parts, s) -> add(s, s_parts) }  combine
//           op (n: reduction) ins(%A_rest[n]) outs(%S[])                                                 rest
struct PartsStep {
  static constexpr const char* kVerb = "parts";
  static constexpr bool kInSharedLoops = true;
  static constexpr bool kIsRare = true;
  std::vector<std::string> iterators;
  affine::Expr by;
  std::string name;
  Steps parts, fill, combine, rest;
  bool together = false;
  std::optional<int64_t> op = {};

  bool operator==(const PartsStep&) const = default;
  void describe(Syntax& text) {
    text.iterators(iterators).word("by").number(by).word("as").name(name);
    if (text.option("of", op)) text.word("op").integer(*op);
    text.flag("together", together).steps(parts);
    if (!together) text.steps("fill", fill);
    text.steps("combine", combine);
    if (!together) text.steps("rest", rest);
  }
};

ir::Block apply(const Work& work, At here, const PartsStep& step);

}  // namespace einc::strategy
