// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Simplifies payload values by identities that hold for every value of the type, NaN included, up
// to the sign of a zero result. Made for proofs that a combiner's neutral element is neutral, so it
// knows about ends of types, comparisons and selects. After a number of steps it changes no more.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::frontend {

class Prover {
 public:
  explicit Prover(size_t steps) : steps_(steps) {}

  ir::ValueRef simplify(const ir::ValueRef& value) { return simplify(value, nullptr, nullptr); }
  // Whether two values are one and the same expression.
  bool same(const ir::ValueRef& a, const ir::ValueRef& b);

 private:
  bool step() {
    if (steps_ != 0) --steps_;
    return steps_ != 0;
  }
  // With `to` in place of `from`, unless null.
  ir::ValueRef simplify(const ir::ValueRef& value, const ir::ValueRef& from,
                        const ir::ValueRef& to);
  ir::ValueRef call(ir::ScalarType type, ir::Function function, std::vector<ir::ValueRef> args);
  ir::ValueRef arithmetic(ir::ScalarType type, ir::Function function, const ir::ValueRef& x,
                          const ir::ValueRef& y);
  ir::ValueRef comparison(ir::Function function, const ir::ValueRef& x, const ir::ValueRef& y);
  ir::ValueRef less(const ir::ValueRef& x, const ir::ValueRef& y);
  ir::ValueRef lessOrEqual(const ir::ValueRef& x, const ir::ValueRef& y);
  ir::ValueRef select(const ir::ValueRef& condition, ir::ValueRef then, ir::ValueRef otherwise);

  size_t steps_;
};

}  // namespace einc::frontend
