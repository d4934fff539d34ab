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
#include <vector>

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

// ---- Exactly ----

// The expression as a sum over what has iterators in it: iterators, divisions, remainders, each
// once, times something without iterators. Nothing if it is not affine.
struct Grouped {
  struct Part {
    Atom atom;
    Expr coefficient;
  };
  std::vector<Part> parts;
  Expr rest;
};
std::optional<Grouped> grouped(const Expr& expr);

// Whether both ends of intervalOf are values that the expression takes, whatever its symbols are,
// if intervals of iterators are bounded and symbols are one value: no iterator stands in two
// places, and what a remainder is taken of leaves no value out.
bool hasExactInterval(const Expr& expr);

// The expression grows by the same number wherever the iterator grows by the product of these: what
// it is divided by. So the ends of what it takes are among so many first and last positions.
std::vector<Expr> periodOf(const Expr& expr, const std::string& iterator);

// From the least to the largest value, exactly, where intervalOf is bounded and each symbol is one
// value. It takes time: boxes of positions are divided until intervals tell, so at most a few steps
// a position, and few where there are no more than two periods of each iterator.
Interval exactIntervalOf(const Expr& expr, const IntervalLookup& lookup);

}  // namespace einc::affine
