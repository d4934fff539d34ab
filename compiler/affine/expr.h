// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Affine expressions: what stands in an index or a shape, e.g. `oh * strides[0] + kh - 1`.
//
// An Expr is a sum of terms, each an integer times a product of atoms. Atoms are iterators, symbols
// (a size such as `M`, an integer attribute such as `strides[0]`, fixed during one call), and floor
// divisions and remainders of expressions. Terms keep the order in which they were written; equal
// products are merged, so that an expression is canonical up to the order of its terms and two
// equal ones compare equal. "Affine" (degree at most one in the iterators, divisors free of them)
// is a property that can be asked for, not one that construction enforces.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace einc::affine {

class Expr;

struct Division;

struct Atom {
  enum class Kind { Iterator, Symbol, FloorDiv, Mod };
  Kind kind;
  std::string name;                     // Iterator, Symbol
  std::shared_ptr<const Division> div;  // FloorDiv, Mod
  bool operator==(const Atom& other) const;
};

struct Term {
  int64_t coefficient;
  std::vector<Atom> factors;  // sorted; empty for the constant term
  bool operator==(const Term&) const = default;
};

constexpr size_t kMaxTerms = 64;

class Expr {
 public:
  Expr() = default;  // zero
  static Expr constant(int64_t value);
  static Expr iterator(std::string name);
  static Expr symbol(std::string name);
  static Expr term(const Term& term);  // of one term

  Expr operator+(const Expr& other) const;
  Expr operator-(const Expr& other) const;
  Expr operator-() const;
  Expr operator*(const Expr& other) const;
  // Rounds down; the remainder has the divisor's sign. A zero divisor stays in the expression and
  // has no value.
  Expr floorDiv(const Expr& divisor) const;
  Expr ceilDiv(const Expr& divisor) const;
  Expr mod(const Expr& divisor) const;

  const std::vector<Term>& terms() const { return terms_ ? *terms_ : kNone; }
  // A coefficient left the range of int64_t while the expression was built.
  bool overflowed() const { return overflowed_; }

  bool isZero() const { return !terms_ && !overflowed_; }
  std::optional<int64_t> asConstant() const;
  // The name when the expression is just one iterator (or one symbol).
  std::optional<std::string> asIterator() const;
  std::optional<std::string> asSymbol() const;
  // More than kMaxTerms terms, or in other ways so long that working with it would be slow; whoever
  // builds expressions from text refuses such.
  // The test itself is quick if the parts from which the expression was built passed it.
  bool tooLarge() const;
  // Degree at most one in the iterators, and none in a divisor.
  bool isAffine() const;
  // The coefficient (an expression in symbols) of each iterator, if the expression is linear in
  // them: no iterator stands in a division. `rest` is the part without iterators.
  struct Linear;
  std::optional<Linear> asLinear() const;

  // How far the value moves when this iterator moves by one, if that is the same wherever it is: 2 * S
  // for `n` in `n * 2 * S + m floordiv 3`, nothing in `n floordiv 3`. Other iterators may stand in it.
  std::optional<Expr> stepAlong(const std::string& iterator) const;

  // Where the expression moves with this iterator in one quotient alone: n floordiv 5, of what moves with it by one, by a number
  // of 2 or more; (8 * n + 3) floordiv 32 is n floordiv 4. Nothing else has the iterator.
  struct Quotient;
  std::optional<Quotient> quotientAlong(const std::string& iterator) const;

  bool hasIterators() const;                         // those inside divisions included
  bool mentions(const std::string& iterator) const;  // likewise
  // Names in order of first appearance, those inside divisions included.
  std::vector<std::string> iterators() const;
  std::vector<std::string> symbols() const;

  using Substitution = std::function<std::optional<Expr>(const Atom&)>;
  // Replaces the iterators and symbols for which `replace` gives an expression.
  Expr substitute(const Substitution& replace) const;

  // The value where each name has the value `lookup` gives it. Nothing when a name is unknown, a
  // divisor is zero or an intermediate leaves the range of int64_t.
  using Lookup = std::function<std::optional<int64_t>(const Atom&)>;
  std::optional<int64_t> evaluate(const Lookup& lookup) const;

  std::string str() const;

  bool operator==(const Expr& other) const;

 private:
  static const std::vector<Term> kNone;
  static Expr atom(Atom atom);
  static Expr division(Atom::Kind kind, const Expr& dividend, const Expr& divisor);
  // Gives it these terms.
  void set(std::vector<Term> terms);
  // What it is, where it is just one iterator or symbol; else null.
  const Atom* asName() const;
  bool replaces(const Substitution& replace) const;
  static std::optional<Expr> replaced(const Atom& atom, const Substitution& replace);

  // Copies share them; null: none.
  std::shared_ptr<const std::vector<Term>> terms_;
  bool overflowed_ = false;
};

struct Division {
  Expr dividend, divisor;
};

struct Expr::Linear {
  struct Part {
    std::string iterator;
    Expr coefficient;
  };
  std::vector<Part> parts;
  Expr rest;
};

struct Expr::Quotient {
  Expr dividend;
  int64_t divisor;
};

// Rounding down, for any signs; nothing for a zero divisor or INT64_MIN / -1.
std::optional<int64_t> floorDivide(int64_t dividend, int64_t divisor);
std::optional<int64_t> floorModulo(int64_t dividend, int64_t divisor);

}  // namespace einc::affine
