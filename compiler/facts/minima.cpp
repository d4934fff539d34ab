// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/minima.h"

#include <algorithm>
#include <utility>

namespace einc::facts {
namespace {

using affine::Atom;
using affine::Expr;

// Just a floordiv b.
const affine::Division* divisionIn(const Expr& number) {
  if (number.terms().size() != 1 || number.terms()[0].coefficient != 1) return nullptr;
  const std::vector<Atom>& factors = number.terms()[0].factors;
  return factors.size() == 1 && factors[0].kind == Atom::Kind::FloorDiv ? factors[0].div.get()
                                                                        : nullptr;
}

// (of ceildiv divisor) * unit, which is at most of * unit.
struct Rounded {
  int64_t of, unit;
  Expr divisor;
};
std::optional<Rounded> roundedIn(const Expr& number) {
  if (number.terms().size() != 1 || number.terms()[0].factors.size() != 1) return std::nullopt;
  const affine::Term& term = number.terms()[0];
  const Atom& atom = term.factors[0];
  if (term.coefficient >= 0 || atom.kind != Atom::Kind::FloorDiv) return std::nullopt;
  auto of = atom.div->dividend.asConstant();
  if (!of || *of >= 0 || *of == INT64_MIN || term.coefficient == INT64_MIN) return std::nullopt;
  return Rounded{-*of, -term.coefficient, atom.div->divisor};
}

// The x of x ceildiv b, for a number b of 1 or more: it is at most x, which is not negative.
std::optional<Expr> dividedIn(const Expr& number) {
  if (number.terms().size() != 1 || number.terms()[0].coefficient != -1) return std::nullopt;
  const std::vector<Atom>& factors = number.terms()[0].factors;
  if (factors.size() != 1 || factors[0].kind != Atom::Kind::FloorDiv ||
      factors[0].div->divisor.asConstant().value_or(0) < 1)
    return std::nullopt;
  Expr x = -factors[0].div->dividend;
  const bool isNegative = std::any_of(x.terms().begin(), x.terms().end(),
                                      [](const affine::Term& t) { return t.coefficient < 0; });
  return isNegative ? std::nullopt : std::optional(std::move(x));
}

std::optional<int64_t> times(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (!a || !b || *a > INT64_MAX / std::max<int64_t>(*b, 1)) return std::nullopt;
  return *a * *b;
}
std::optional<int64_t> plus(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (!a || !b || *a > INT64_MAX - *b) return std::nullopt;
  return *a + *b;
}

}  // namespace

void Minima::enter(const Expr& number, std::vector<Expr> of, bool isPositive) {
  least_.push_back({number, std::move(of), isPositive});
}

const Minima::Least* Minima::find(const Expr& number) const {
  if (number.asConstant()) return nullptr;
  auto found = std::find_if(least_.begin(), least_.end(),
                            [&](const Least& least) { return least.number == number; });
  return found == least_.end() ? nullptr : &*found;
}

const std::vector<Expr>* Minima::of(const Expr& number) const {
  const Least* least = find(number);
  return least ? &least->of : nullptr;
}

bool Minima::isAssumedPositive(const Expr& number) const {
  return std::find(positive_.begin(), positive_.end(), number) != positive_.end();
}

bool Minima::isAtLeast(const Expr& number, int64_t least) const {
  return std::any_of(atLeast_.begin(), atLeast_.end(), [&](const auto& known) {
    return known.first == number && known.second >= least;
  });
}

// What the number is at most, itself first.
std::vector<Expr> Minima::above(const Expr& number) const {
  std::vector<Expr> result = {number};
  if (const Least* least = find(number))
    for (const Expr& e : least->of)
      for (Expr& more : above(e)) result.push_back(std::move(more));
  // x floordiv a <= x
  if (const affine::Division* division = divisionIn(number))
    for (Expr& more : above(division->dividend))
      if (more.asConstant()) result.push_back(std::move(more));
  return result;
}

// (c floordiv a) floordiv b, where a and b are not above some constants.
std::optional<int64_t> Minima::leastOf(const Expr& number) const {
  if (auto known = number.asConstant()) return known;
  const affine::Division* division = divisionIn(number);
  if (!division) return std::nullopt;
  const auto dividend = leastOf(division->dividend), divisor = mostOfOne(division->divisor);
  if (dividend.value_or(-1) < 0 || divisor.value_or(0) < 1) return std::nullopt;
  return *dividend / *divisor;
}

bool Minima::isAtMost(const Expr& number, const Expr& most) const {
  const std::vector<Expr> all = above(number);
  auto limit = leastOf(most);
  for (const auto& [known, least] : atLeast_)
    if (known == most) limit = std::max(limit.value_or(least), least);
  return std::any_of(all.begin(), all.end(), [&](const Expr& e) {
    auto known = e.asConstant();
    return e == most || (known && limit && *known <= *limit);
  });
}

// One of what it is the least of is `whole` floordiv a constant.
bool Minima::isPartOf(const Expr& number, const Expr& whole) const {
  const Least* least = find(number);
  return least && std::any_of(least->of.begin(), least->of.end(), [&](const Expr& e) {
           const affine::Division* division = divisionIn(e);
           return division && division->dividend == whole &&
                  division->divisor.asConstant().value_or(0) >= 1;
         });
}

// Of a product that a name stands for.
std::optional<std::vector<Expr>> Minima::factorsOf(const Expr& number) const {
  const Least* least = find(number);
  if (!least || least->of.size() != 1 || least->of[0].terms().size() != 1) return std::nullopt;
  // What is rounded up is the negative of what is rounded down.
  const affine::Term& term = least->of[0].terms()[0];
  int64_t sign = term.coefficient;
  std::vector<Expr> factors;
  for (const Atom& atom : term.factors) {
    const Expr rounded = Expr::term({-1, {atom}});
    const bool isUp = sign == -1 && dividedIn(rounded);
    factors.push_back(isUp ? rounded : Expr::term({1, {atom}}));
    if (isUp) sign = 1;
  }
  return sign == 1 ? std::optional(factors) : std::nullopt;
}

std::optional<int64_t> Minima::mostOfOne(const Expr& factor) const {
  std::optional<int64_t> most;
  for (const Expr& e : above(factor)) {
    auto rounded = roundedIn(e);
    auto one = rounded ? times(rounded->of, rounded->unit) : e.asConstant();
    if (one) most = std::min(most.value_or(*one), *one);
  }
  return most;
}

std::optional<int64_t> Minima::mostOfProduct(const std::vector<Expr>& factors) const {
  std::optional<int64_t> product = 1;
  for (const Expr& factor : factors) product = times(product, mostOfOne(factor));
  auto improve = [&](std::optional<int64_t> most) {
    if (most) product = std::min(product.value_or(*most), *most);
  };
  for (size_t i = 0; i < factors.size(); ++i) {
    std::vector<Expr> others = factors;
    others.erase(others.begin() + static_cast<ptrdiff_t>(i));
    if (auto parts = factorsOf(factors[i])) {
      parts->insert(parts->end(), others.begin(), others.end());
      improve(mostOfProduct(*parts));
    }
    if (auto whole = dividedIn(factors[i])) {
      std::vector<Expr> more = others;
      more.push_back(std::move(*whole));
      improve(mostOfProduct(more));
    }
    for (const Expr& e : above(factors[i]))
      for (size_t j = 0; j < others.size(); ++j) {
        std::vector<Expr> fewer = others;
        fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(j));
        // (x floordiv a) * a <= x
        if (const affine::Division* division = divisionIn(e);
            division && division->divisor == others[j]) {
          fewer.push_back(division->dividend);
          improve(mostOfProduct(fewer));
        }
        // (x ceildiv (u * a)) * u * a <= x + u * a
        if (auto rounded = roundedIn(e);
            rounded && rounded->divisor == others[j] * Expr::constant(rounded->unit))
          improve(times(plus(rounded->of, times(rounded->unit, mostOf(others[j]))),
                        mostOfProduct(fewer)));
      }
  }
  return product;
}

class Minima::Positive {
 public:
  Positive(const Minima& minima, const Signs& signs, const Expr& extent)
      : minima_(minima), signs_(signs), extent_(extent) {}

  bool holds(const Expr& number) const {
    if (auto known = number.asConstant()) return *known > 0;
    if (number == extent_ || minima_.isAssumedPositive(number)) return true;
    if (const Least* least = minima_.find(number))
      return least->isPositive || std::all_of(least->of.begin(), least->of.end(),
                                              [&](const Expr& e) { return holds(e); });
    return std::all_of(number.terms().begin(), number.terms().end(),
                       [&](const affine::Term& t) { return term(t); }) ||
           signs_.isNonNegative(number - Expr::constant(1));
  }

 private:
  bool term(affine::Term term) const {
    // a ceildiv b is -((-a) floordiv b).
    if (term.coefficient < 0) {
      auto above = std::find_if(term.factors.begin(), term.factors.end(), [&](const Atom& atom) {
        return atom.kind == Atom::Kind::FloorDiv && holds(-atom.div->dividend) &&
               holds(atom.div->divisor);
      });
      if (above == term.factors.end()) return false;
      term.factors.erase(above);
    }
    return std::all_of(term.factors.begin(), term.factors.end(),
                       [&](const Atom& atom) { return factor(atom); });
  }

  bool factor(const Atom& atom) const {
    const Expr one = Expr::term({1, {atom}});
    if (!atom.div)
      return minima_.isAssumedPositive(one) || one == extent_ || (minima_.find(one) && holds(one));
    return atom.kind == Atom::Kind::FloorDiv && holds(atom.div->divisor) &&
           (minima_.isAtMost(atom.div->divisor, atom.div->dividend) ||
            minima_.isPartOf(atom.div->divisor, atom.div->dividend));
  }

  const Minima& minima_;
  const Signs& signs_;
  const Expr& extent_;
};

bool Minima::isPositive(const Signs& signs, const Expr& number, const Expr& extent) const {
  return extent.asConstant() == 0 || Positive(*this, signs, extent).holds(number);
}

bool Minima::isAllOrOuterOne(const Expr& outer, const Expr& by, const Expr& extent) const {
  const Least *inside = find(by), *outside = find(outer);
  const auto all = extent.asConstant();
  if (inside && all && std::all_of(inside->of.begin(), inside->of.end(), [&](const Expr& e) {
        return e.asConstant().value_or(0) >= *all;
      }))
    return true;
  if (outer == Expr::constant(1) || by == extent) return true;
  if (!inside || !outside || inside->of.size() != 2 || inside->of[0] != extent) return false;
  // Where `by` is not the extent, it is inside->of[1]. That floordiv `by` is 1 then, and so is, at most,
  // what is divided further.
  return std::any_of(outside->of.begin(), outside->of.end(), [&](const Expr& number) {
    const Expr* rest = &number;
    while (const affine::Division* division = divisionIn(*rest)) {
      if (division->divisor == by && division->dividend == inside->of[1]) return true;
      rest = &division->dividend;
    }
    return false;
  });
}

}  // namespace einc::facts
