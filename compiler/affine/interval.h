// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Intervals of int64_t with open ends, and the interval of an affine expression. The interval holds
// every value the expression can take; for an expression that is linear in names that range
// independently it is exact.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "compiler/affine/expr.h"

namespace einc::affine {

struct Interval {
  std::optional<int64_t> low;   // none: unbounded, or past int64_t
  std::optional<int64_t> high;  // inclusive
  static Interval point(int64_t value) { return {value, value}; }
  bool contains(int64_t value) const;
  std::string str() const;  // "[0, 7]", "[-1, ...]"
  bool operator==(const Interval&) const = default;
};

Interval operator+(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
// By a divisor that cannot be zero; unbounded otherwise.
Interval floorDiv(const Interval& a, const Interval& b);
Interval mod(const Interval& a, const Interval& b);

using IntervalLookup = std::function<Interval(const Atom&)>;
Interval intervalOf(const Expr& expr, const IntervalLookup& lookup);

}  // namespace einc::affine
