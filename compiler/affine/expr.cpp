// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/affine/expr.h"

#include <algorithm>
#include <iterator>

namespace einc::affine {
namespace {

// A total order of atoms that does not depend on addresses: the canonical order in a product.
std::string keyOf(const Atom& atom) {
  switch (atom.kind) {
    case Atom::Kind::Iterator:
      return "0" + atom.name;
    case Atom::Kind::Symbol:
      return "1" + atom.name;
    case Atom::Kind::FloorDiv:
      return "2" + atom.div->dividend.str() + "/" + atom.div->divisor.str();
    case Atom::Kind::Mod:
      return "3" + atom.div->dividend.str() + "%" + atom.div->divisor.str();
  }
  return "";
}

bool precedes(const Atom& x, const Atom& y) {
  if (x.kind != y.kind) return x.kind < y.kind;
  return x.div ? keyOf(x) < keyOf(y) : x.name < y.name;
}

std::string atomText(const Atom& atom) {
  if (atom.kind == Atom::Kind::Iterator || atom.kind == Atom::Kind::Symbol) return atom.name;
  auto wrapped = [](const Expr& e) {
    bool simple = e.asConstant().value_or(-1) >= 0 || e.asIterator() || e.asSymbol();
    return simple ? e.str() : "(" + e.str() + ")";
  };
  return wrapped(atom.div->dividend) +
         (atom.kind == Atom::Kind::FloorDiv ? " floordiv " : " mod ") + wrapped(atom.div->divisor);
}

std::string termText(const Term& term, uint64_t magnitude) {
  std::string text;
  for (const Atom& atom : term.factors) {
    bool division = atom.kind == Atom::Kind::FloorDiv || atom.kind == Atom::Kind::Mod;
    bool alone = term.factors.size() == 1 && magnitude == 1;
    if (!text.empty()) text += " * ";
    text += division && !alone ? "(" + atomText(atom) + ")" : atomText(atom);
  }
  if (text.empty()) return std::to_string(magnitude);
  return magnitude == 1 ? text : text + " * " + std::to_string(magnitude);
}

void collect(const Expr& expr, Atom::Kind kind, std::vector<std::string>& names) {
  for (const Term& term : expr.terms())
    for (const Atom& atom : term.factors) {
      if (atom.div) {
        collect(atom.div->dividend, kind, names);
        collect(atom.div->divisor, kind, names);
      } else if (atom.kind == kind &&
                 std::find(names.begin(), names.end(), atom.name) == names.end()) {
        names.push_back(atom.name);
      }
    }
}

constexpr size_t kMaxFactors = 16, kMaxLength = 512;

// The number of terms and factors, those inside divisions included.
size_t lengthOf(const Expr& expr) {
  size_t length = 0;
  for (const Term& term : expr.terms()) {
    length += 1 + term.factors.size();
    for (const Atom& atom : term.factors)
      if (atom.div) length += lengthOf(atom.div->dividend) + lengthOf(atom.div->divisor);
  }
  return length;
}

}  // namespace

bool Atom::operator==(const Atom& other) const {
  if (kind != other.kind || name != other.name) return false;
  if (!div) return true;
  return div->dividend == other.div->dividend && div->divisor == other.div->divisor;
}

std::optional<int64_t> floorDivide(int64_t dividend, int64_t divisor) {
  if (divisor == 0 || (dividend == INT64_MIN && divisor == -1)) return std::nullopt;
  int64_t quotient = dividend / divisor;
  return dividend % divisor != 0 && (dividend < 0) != (divisor < 0) ? quotient - 1 : quotient;
}

std::optional<int64_t> floorModulo(int64_t dividend, int64_t divisor) {
  if (divisor == 0) return std::nullopt;
  if (divisor == -1) return 0;
  int64_t rest = dividend % divisor;
  return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

namespace {

void addTerm(std::vector<Term>& sum, const Term& term, bool& overflowed) {
  for (auto it = sum.begin(); it != sum.end(); ++it) {
    if (it->factors != term.factors) continue;
    if (__builtin_add_overflow(it->coefficient, term.coefficient, &it->coefficient))
      overflowed = true;
    if (it->coefficient == 0) sum.erase(it);
    return;
  }
  if (term.coefficient != 0) sum.push_back(term);
}

}  // namespace

constinit const std::vector<Term> Expr::kNone;

void Expr::set(std::vector<Term> terms) {
  terms_ = terms.empty() ? nullptr : std::make_shared<const std::vector<Term>>(std::move(terms));
}

namespace {

constexpr int64_t kFewest = -16, kMost = 256;  // constants that are made once

}  // namespace

Expr Expr::constant(int64_t value) {
  static const std::vector<Expr> small = [] {
    std::vector<Expr> result;
    for (int64_t i = kFewest; i <= kMost; ++i) result.push_back(term({i, {}}));
    result[-kFewest] = Expr();
    return result;
  }();
  if (value >= kFewest && value <= kMost) return small[static_cast<size_t>(value - kFewest)];
  return term({value, {}});
}

Expr Expr::atom(Atom atom) {
  Expr result;
  result.set({{1, {std::move(atom)}}});
  return result;
}

Expr Expr::iterator(std::string name) {
  return atom({Atom::Kind::Iterator, std::move(name), nullptr});
}

Expr Expr::symbol(std::string name) { return atom({Atom::Kind::Symbol, std::move(name), nullptr}); }

Expr Expr::term(const Term& term) {
  Expr result;
  result.set({term});
  return result;
}

Expr Expr::operator+(const Expr& other) const {
  Expr result = terms_ ? *this : other;
  result.overflowed_ = overflowed_ || other.overflowed_;
  if (!terms_ || !other.terms_) return result;
  std::vector<Term> sum = terms();
  for (const Term& term : other.terms()) addTerm(sum, term, result.overflowed_);
  result.set(std::move(sum));
  return result;
}

Expr Expr::operator-() const { return *this * constant(-1); }

Expr Expr::operator-(const Expr& other) const { return *this + -other; }

Expr Expr::operator*(const Expr& other) const {
  if (asConstant() == 1) return other;
  if (other.asConstant() == 1) return *this;
  Expr result;
  result.overflowed_ = overflowed_ || other.overflowed_;
  std::vector<Term> sum;
  for (const Term& a : terms())
    for (const Term& b : other.terms()) {
      Term product{0, a.factors};
      if (__builtin_mul_overflow(a.coefficient, b.coefficient, &product.coefficient))
        result.overflowed_ = true;
      product.factors.insert(product.factors.end(), b.factors.begin(), b.factors.end());
      if (!a.factors.empty() && !b.factors.empty())
        std::sort(product.factors.begin(), product.factors.end(), precedes);
      addTerm(sum, product, result.overflowed_);
    }
  result.set(std::move(sum));
  return result;
}

Expr Expr::division(Atom::Kind kind, const Expr& dividend, const Expr& divisor) {
  auto result = atom({kind, "", std::make_shared<const Division>(Division{dividend, divisor})});
  result.overflowed_ = dividend.overflowed_ || divisor.overflowed_;
  return result;
}

Expr Expr::floorDiv(const Expr& divisor) const {
  auto d = divisor.asConstant();
  if (d == 1) return *this;
  auto n = asConstant();
  if (n && d)
    if (auto quotient = floorDivide(*n, *d)) return constant(*quotient);
  Expr result = division(Atom::Kind::FloorDiv, *this, divisor);
  if (n && d && *d != 0) result.overflowed_ = true;  // 2^63
  return result;
}

Expr Expr::ceilDiv(const Expr& divisor) const { return -((-*this).floorDiv(divisor)); }

Expr Expr::mod(const Expr& divisor) const {
  auto d = divisor.asConstant();
  if (d == 1) return {};
  if (auto n = asConstant(); n && d)
    if (auto rest = floorModulo(*n, *d)) return constant(*rest);
  return division(Atom::Kind::Mod, *this, divisor);
}

std::optional<int64_t> Expr::asConstant() const {
  if (overflowed_) return std::nullopt;
  if (terms().empty()) return 0;
  if (terms().size() == 1 && terms()[0].factors.empty()) return terms()[0].coefficient;
  return std::nullopt;
}

const Atom* Expr::asName() const {
  if (overflowed_ || terms().size() != 1) return nullptr;
  const Term& term = terms()[0];
  bool isOne = term.coefficient == 1 && term.factors.size() == 1 && !term.factors[0].div;
  return isOne ? &term.factors[0] : nullptr;
}

std::optional<std::string> Expr::asIterator() const {
  const Atom* name = asName();
  return name && name->kind == Atom::Kind::Iterator ? std::optional(name->name) : std::nullopt;
}

std::optional<std::string> Expr::asSymbol() const {
  const Atom* name = asName();
  return name && name->kind == Atom::Kind::Symbol ? std::optional(name->name) : std::nullopt;
}

bool Expr::tooLarge() const {
  bool tooManyFactors = std::any_of(terms().begin(), terms().end(), [](const Term& term) {
    return term.factors.size() > kMaxFactors;
  });
  return terms().size() > kMaxTerms || tooManyFactors || lengthOf(*this) > kMaxLength;
}

bool Expr::isAffine() const {
  for (const Term& term : terms()) {
    int degree = 0;
    for (const Atom& atom : term.factors) {
      if (atom.kind == Atom::Kind::Iterator) ++degree;
      if (!atom.div) continue;
      if (atom.div->divisor.hasIterators() || !atom.div->dividend.isAffine()) return false;
      if (atom.div->dividend.hasIterators()) ++degree;
    }
    if (degree > 1) return false;
  }
  return true;
}

std::optional<Expr::Linear> Expr::asLinear() const {
  Linear result;
  result.rest.overflowed_ = overflowed_;
  for (const Term& term : terms()) {
    const Atom* iterator = nullptr;
    Expr coefficient = constant(term.coefficient);
    for (const Atom& a : term.factors) {
      if (a.div && (a.div->dividend.hasIterators() || a.div->divisor.hasIterators()))
        return std::nullopt;
      if (a.kind != Atom::Kind::Iterator) {
        coefficient = coefficient * atom(a);
      } else if (iterator) {
        return std::nullopt;
      } else {
        iterator = &a;
      }
    }
    if (!iterator) {
      result.rest = result.rest + coefficient;
      continue;
    }
    auto part = std::find_if(result.parts.begin(), result.parts.end(),
                             [&](const Linear::Part& p) { return p.iterator == iterator->name; });
    if (part == result.parts.end())
      result.parts.push_back({iterator->name, coefficient});
    else
      part->coefficient = part->coefficient + coefficient;
  }
  return result;
}

static bool mentions(const Atom& atom, const std::string& iterator) {
  if (!atom.div) return atom.kind == Atom::Kind::Iterator && atom.name == iterator;
  return atom.div->dividend.mentions(iterator) || atom.div->divisor.mentions(iterator);
}

bool Expr::mentions(const std::string& iterator) const {
  return std::any_of(terms().begin(), terms().end(), [&](const Term& term) {
    return std::any_of(term.factors.begin(), term.factors.end(),
                       [&](const Atom& atom) { return affine::mentions(atom, iterator); });
  });
}

std::optional<Expr> Expr::stepAlong(const std::string& iterator) const {
  if (overflowed_) return std::nullopt;
  Expr result;
  for (const Term& term : terms()) {
    auto isAlong = [&](const Atom& atom) { return affine::mentions(atom, iterator); };
    auto along = std::find_if(term.factors.begin(), term.factors.end(), isAlong);
    if (along == term.factors.end()) continue;
    if (along->div || std::any_of(along + 1, term.factors.end(), isAlong)) return std::nullopt;
    Term others = term;
    others.factors.erase(others.factors.begin() + (along - term.factors.begin()));
    result = result + Expr::term(others);
  }
  return result;
}

namespace {

// (8 * n + 128 * m + 3) floordiv 32 as (n + 16 * m) floordiv 4: what moves with the iterator by `step` by one.
std::optional<Expr::Quotient> reduced(const Expr& dividend, int64_t divisor, int64_t step) {
  if (step < 1 || divisor % step != 0) return std::nullopt;
  Expr result;
  for (const Term& term : dividend.terms()) {
    const bool isNumber = term.factors.empty();
    if (!isNumber && term.coefficient % step != 0) return std::nullopt;
    Term part = term;
    part.coefficient = *floorDivide(term.coefficient, step);
    result = result + Expr::term(part);
  }
  return Expr::Quotient{result, divisor / step};
}

}  // namespace

std::optional<Expr::Quotient> Expr::quotientAlong(const std::string& iterator) const {
  std::optional<Quotient> quotient;
  for (const Term& term : terms()) {
    if (!Expr::term(term).mentions(iterator)) continue;
    const Atom* atom = term.factors.size() == 1 ? &term.factors[0] : nullptr;
    if (quotient || !atom || atom->kind != Atom::Kind::FloorDiv || term.coefficient != 1)
      return std::nullopt;
    const auto divisor = atom->div->divisor.asConstant();
    const auto step = atom->div->dividend.stepAlong(iterator);
    quotient = divisor && step && step->asConstant()
                   ? reduced(atom->div->dividend, *divisor, *step->asConstant())
                   : std::nullopt;
    if (!quotient || quotient->divisor < 2) return std::nullopt;
  }
  return quotient;
}

bool Expr::hasIterators() const {
  for (const Term& term : terms())
    for (const Atom& atom : term.factors)
      if (atom.kind == Atom::Kind::Iterator ||
          (atom.div && (atom.div->dividend.hasIterators() || atom.div->divisor.hasIterators())))
        return true;
  return false;
}

std::vector<std::string> Expr::iterators() const {
  std::vector<std::string> names;
  collect(*this, Atom::Kind::Iterator, names);
  return names;
}

std::vector<std::string> Expr::symbols() const {
  std::vector<std::string> names;
  collect(*this, Atom::Kind::Symbol, names);
  return names;
}

bool Expr::replaces(const Substitution& replace) const {
  for (const Term& term : terms())
    for (const Atom& a : term.factors)
      if (a.div ? a.div->dividend.replaces(replace) || a.div->divisor.replaces(replace)
                : replace(a).has_value())
        return true;
  return false;
}

Expr Expr::substitute(const Substitution& replace) const {
  if (const Atom* name = asName()) {
    std::optional<Expr> by = replace(*name);
    return by ? *std::move(by) : *this;
  }
  if (!replaces(replace)) return *this;
  Expr result;
  result.overflowed_ = overflowed_;
  std::vector<Term> sum;
  auto add = [&](const Expr& product) {
    result.overflowed_ |= product.overflowed_;
    for (const Term& term : product.terms()) addTerm(sum, term, result.overflowed_);
  };
  for (const Term& term : terms()) {
    std::optional<Expr> product;  // none: the term as it is
    for (size_t i = 0; i < term.factors.size(); ++i) {
      const std::optional<Expr> by = replaced(term.factors[i], replace);
      if (!by && !product) continue;
      if (!product)
        product = i == 0 ? constant(term.coefficient)
                         : Expr::term({term.coefficient,
                                       {term.factors.begin(),
                                        term.factors.begin() + static_cast<ptrdiff_t>(i)}});
      product = *product * (by ? *by : atom(term.factors[i]));
    }
    if (product)
      add(*product);
    else
      addTerm(sum, term, result.overflowed_);
  }
  result.set(std::move(sum));
  return result;
}

// Nothing where it stays.
std::optional<Expr> Expr::replaced(const Atom& atom, const Substitution& replace) {
  if (!atom.div) return replace(atom);
  const Expr dividend = atom.div->dividend.substitute(replace);
  const Expr divisor = atom.div->divisor.substitute(replace);
  return atom.kind == Atom::Kind::FloorDiv ? dividend.floorDiv(divisor) : dividend.mod(divisor);
}

std::optional<int64_t> Expr::evaluate(const Lookup& lookup) const {
  if (overflowed_) return std::nullopt;
  int64_t sum = 0;
  for (const Term& term : terms()) {
    int64_t product = term.coefficient;
    for (const Atom& a : term.factors) {
      std::optional<int64_t> value;
      if (!a.div) {
        value = lookup(a);
      } else if (auto n = a.div->dividend.evaluate(lookup), d = a.div->divisor.evaluate(lookup);
                 n && d) {
        value = a.kind == Atom::Kind::FloorDiv ? floorDivide(*n, *d) : floorModulo(*n, *d);
      }
      if (!value || __builtin_mul_overflow(product, *value, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

std::string Expr::str() const {
  if (terms().empty()) return "0";
  std::string text;
  std::vector<Term> ordered;  // as written, but the constant last
  for (bool constant : {false, true})
    std::copy_if(terms().begin(), terms().end(), std::back_inserter(ordered),
                 [&](const Term& term) { return term.factors.empty() == constant; });
  for (const Term& term : ordered) {
    bool negative = term.coefficient < 0;
    uint64_t magnitude = negative ? uint64_t{0} - static_cast<uint64_t>(term.coefficient)
                                  : static_cast<uint64_t>(term.coefficient);
    if (text.empty())
      text = negative ? "-" : "";
    else
      text += negative ? " - " : " + ";
    text += termText(term, magnitude);
  }
  return text;
}

bool Expr::operator==(const Expr& other) const {
  if (terms_ == other.terms_) return overflowed_ == other.overflowed_;
  if (overflowed_ != other.overflowed_ || terms().size() != other.terms().size()) return false;
  return std::all_of(terms().begin(), terms().end(), [&](const Term& term) {
    return std::find(other.terms().begin(), other.terms().end(), term) != other.terms().end();
  });
}

}  // namespace einc::affine
