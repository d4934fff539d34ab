// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Integer sets: points [i, j, ...] that satisfy affine constraints, whose other names are
// parameters (sizes, attributes) with any integer value. Exact, by isl (S. Verdoolaege, "isl: An
// Integer Set Library for the Polyhedral Model", ICMS 2010; this is the only file that knows it).
//
// Not every question has an answer: a constraint may multiply two names or divide by one, and a set
// may grow so complex that isl's work is cut short. Then the set is unknown, and so is whatever is
// made from it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/affine/expr.h"

struct isl_set;

namespace einc::affine {

// expr >= 0, or expr == 0.
struct Constraint {
  Expr expr;
  bool isEquality = false;
};

// Whether the expression can stand in a constraint: no products of names, divisors are positive
// constants (Presburger arithmetic).
bool isPresburger(const Expr& expr);

class Set {
 public:
  // The points [dims] that satisfy all constraints. Names of iterators and symbols are one kind
  // here: those in `dims` are dimensions, all others parameters.
  Set(const std::vector<std::string>& dims, const std::vector<Constraint>& constraints);

  bool isKnown() const { return set_ != nullptr; }

  // Of sets with as many dimensions.
  Set operator&(const Set& other) const;
  Set operator|(const Set& other) const;
  Set operator-(const Set& other) const;
  // The points' first `count` dimensions: the others are projected out. With 0, the parameter
  // values for which there are points.
  Set project(size_t count) const;
  // The parameter values for which there are none.
  Set parametersWithout() const;
  // The same where `context` holds, told as shortly as possible. The context has as many
  // dimensions, or none: then it is about parameters alone.
  Set given(const Set& context) const;

  // Whether it has no points for any parameters (or all of them); nothing if unknown.
  std::optional<bool> isEmpty() const;
  std::optional<bool> isUniverse() const;

  // One interval a dimension whose product is the set (high end excluded), if it is such a box.
  struct Range {
    Expr low, high;
  };
  std::optional<std::vector<Range>> asBox() const;

  // A point, for some parameter values; empty if there is none or the set is unknown.
  struct Point {
    std::vector<std::pair<std::string, int64_t>> parameters;
    std::vector<std::pair<std::string, int64_t>> dims;
    bool isEmpty() const { return parameters.empty() && dims.empty(); }
  };
  Point sample() const;
  // The constraints: "W >= OW + KW - 1 and W <= 7"; "or" between the parts of a union.
  std::string str() const;

 private:
  explicit Set(isl_set* set);  // takes it
  std::shared_ptr<isl_set> set_;
};

// "m = 0, n = 2"
std::string str(const std::vector<std::pair<std::string, int64_t>>& values);

}  // namespace einc::affine
