// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is known of the sign of an index expression, from what its names stand for: iterators and
// sizes are never negative, scalars and attributes may be anything that their types hold, and a
// bound is as its statement says. The one place that knows: a test of an index may be left out
// only where this says so.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::facts {

enum class Sign { Unknown, NotNegative, NotPositive };

class Signs {
 public:
  explicit Signs(const ir::Kernel& kernel) : kernel_(&kernel) {}

  // What holds behind the statement, to the end of its block. Names are unique in a kernel.
  void enter(const ir::Bound& bound) { bounds_[bound.name] = bound.of; }

  // Null where the name is no bound.
  const std::vector<affine::Expr>* boundOf(const std::string& name) const;

  // Of every value that the expression has where its divisors are not 0. A zero is both; where
  // that is known, NotNegative.
  Sign of(const affine::Expr& e) const;
  Sign of(const affine::Atom& atom) const;

  bool isNonNegative(const affine::Expr& e) const { return of(e) == Sign::NotNegative; }
  bool isNonNegative(const affine::Atom& atom) const { return of(atom) == Sign::NotNegative; }

 private:
  Sign ofSymbol(const std::string& name) const;

  const ir::Kernel* kernel_;
  std::map<std::string, std::vector<affine::Expr>> bounds_;
};

}  // namespace einc::facts
