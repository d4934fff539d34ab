// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which iterations of an op do something, where its payload leaves some out. `where n <= m` in a spec
// is such a payload, and so is what a user has written that way:
//
//   add(c, select(lt(index(n), index(m + 1)), a, -0.0))    outside, a term that changes nothing
//   select(lt(index(n), index(m + 1)), a, c)               outside, what the output holds
//
// All results of the op have to have one of these forms, with the same condition.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::ir {

// An iteration does something where all of these hold.
struct Guard {
  std::vector<affine::Expr> notNegative;  // over iterators and symbols, each >= 0
  std::vector<ValueRef>
      others;  // such as lt(index(n), cast<i64>(lengths)); they may read outputs, too

  bool isEmpty() const { return notNegative.empty() && others.empty(); }
};

// What a condition asks.
Guard asGuard(const ValueRef& condition);

// A literal, or one that is negated: -inf is neg(inf) where a spec says so. Nothing of any other value.
std::optional<Number> asNumber(const ValueRef& value);

// Nothing if there is no condition, or not one for all results.
std::optional<Guard> guardOf(const StructuredOp& op);

// The op, which has a guard, with this one in its place. With an empty one all iterations do something.
StructuredOp withGuard(StructuredOp op, const Guard& guard);

}  // namespace einc::ir
