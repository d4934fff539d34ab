// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// When a round leaves what an op carries from round to round as it was:
//
//   op (m, n: reduction) ins(%S[m, n]) outs(%T[m]) { add(t, select(lt(index(n), index(m)), s, -0.0)) }     its own guard (ir/guard.h)
//   op (m, n) ins(%S[m, n]) outs(%X[m, n]) { select(lt(index(n), index(m)), s, -inf) }
//   op (m, n: reduction) ins(%X[m, n]) outs(%L[m]) { max(l, x) }                       the condition by which its terms were chosen
//   op (m, n: reduction) ins(%X[m, n], %L[m]) outs(%T[m]) { add(t, exp(sub(x, l))) }   that of the bound L, but for the first round
//
// Where all terms of a bound are -inf, those of a sum that changes with it are 0 once the bound is a number. As long as it is
// none, they are NaN: the first round says so.
#pragma once

#include <optional>

#include "compiler/ir/guard.h"
#include "compiler/transforms/rounds.h"

namespace einc::transforms {

// Where the guard, over the iterators of op number `op`, is false in all of a round. `begins`: but for the first one.
struct Leaving {
  size_t op;
  ir::Guard guard;
  bool begins = false;
};

// Of an op in rounds; nothing if it may change something in each.
std::optional<Leaving> leavingOf(const Rounds& rounds, size_t op);

}  // namespace einc::transforms
