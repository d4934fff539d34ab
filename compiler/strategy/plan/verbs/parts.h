// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   parts k by 4096 as k_part { ... } fill { ... } combine { ... } rest { ... }
#pragma once

#include <string>

#include "compiler/affine/expr.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// A reduction in parts of `by` positions, `name` of them, that do not wait for each other: memory for their
// results is filled with what a sum starts from, each part is done, they are combined, and the positions
// behind the last whole part are added.
struct PartsStep {
  static constexpr const char* kVerb = "parts";
  std::string iterator;
  affine::Expr by;
  std::string name;
  Steps parts, fill, combine, rest;

  bool operator==(const PartsStep&) const = default;
  void describe(Syntax& text) {
    text.iterator(iterator).word("by").number(by).word("as").name(name);
    text.steps(parts).steps("fill", fill).steps("combine", combine).steps("rest", rest);
  }
};

ir::Block apply(const Work& work, At here, const PartsStep& step);

}  // namespace einc::strategy
