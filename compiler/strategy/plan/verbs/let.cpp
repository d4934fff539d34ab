// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   let kc = min(k, 512)
//
// And what is known of such numbers.
#include <algorithm>
#include <utility>

#include "compiler/facts/signs.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Atom;
using affine::Expr;

const Named* findLet(const At& here, const Expr& number) {
  for (const auto& [name, let] : here.lets)
    if (number == let.value && !number.asConstant()) return &let;
  return nullptr;
}

// Just a floordiv b.
const affine::Division* divisionIn(const Expr& number) {
  if (number.terms().size() != 1 || number.terms()[0].coefficient != 1) return nullptr;
  const std::vector<Atom>& factors = number.terms()[0].factors;
  return factors.size() == 1 && factors[0].kind == Atom::Kind::FloorDiv ? factors[0].div.get()
                                                                        : nullptr;
}

// What the number is at most, itself first.
std::vector<Expr> atMost(const At& here, const Expr& number) {
  std::vector<Expr> result = {number};
  if (const Named* let = findLet(here, number))
    for (const Expr& e : let->of)
      for (Expr& more : atMost(here, e)) result.push_back(std::move(more));
  // x floordiv a <= x
  if (const affine::Division* division = divisionIn(number))
    for (Expr& more : atMost(here, division->dividend))
      if (more.asConstant()) result.push_back(std::move(more));
  return result;
}

bool isAtMost(const At& here, const Expr& number, const Expr& most) {
  auto all = most.asConstant();
  return llvm::any_of(atMost(here, number), [&](const Expr& e) {
    auto known = e.asConstant();
    return e == most || (known && all && *known <= *all);
  });
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

std::optional<int64_t> times(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (!a || !b || *a > INT64_MAX / std::max<int64_t>(*b, 1)) return std::nullopt;
  return *a * *b;
}
std::optional<int64_t> plus(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (!a || !b || *a > INT64_MAX - *b) return std::nullopt;
  return *a + *b;
}

// The factors of what `let` gives a name.
std::optional<std::vector<Expr>> partsOf(const At& here, const Expr& number) {
  const Named* let = findLet(here, number);
  if (!let || let->of.size() != 1 || let->of[0].terms().size() != 1) return std::nullopt;
  const affine::Term& term = let->of[0].terms()[0];
  if (term.coefficient != 1) return std::nullopt;
  std::vector<Expr> parts;
  for (const Atom& atom : term.factors) parts.push_back(Expr::term({1, {atom}}));
  return parts;
}

std::optional<int64_t> mostOfOne(const At& here, const Expr& factor) {
  std::optional<int64_t> most;
  for (const Expr& e : atMost(here, factor)) {
    auto rounded = roundedIn(e);
    auto one = rounded ? times(rounded->of, rounded->unit) : e.asConstant();
    if (one) most = std::min(most.value_or(*one), *one);
  }
  return most;
}

class Positive {
 public:
  Positive(const Work& work, const At& here, const Expr& extent)
      : work_(work), here_(here), extent_(extent) {}

  bool holds(const Expr& number) const {
    if (auto known = number.asConstant()) return *known > 0;
    if (number == extent_ || llvm::is_contained(here_.positive, number)) return true;
    if (const Named* let = findLet(here_, number))
      return let->isPositive || llvm::all_of(let->of, [&](const Expr& e) { return holds(e); });
    const bool isSum = llvm::all_of(number.terms(), [&](const affine::Term& t) { return term(t); });
    return isSum ||
           facts::Signs(work_.builder.kernel()).isNonNegative(number - transforms::constant(1));
  }

 private:
  bool term(affine::Term term) const {
    // a ceildiv b is -((-a) floordiv b).
    if (term.coefficient < 0) {
      auto above = llvm::find_if(term.factors, [&](const Atom& atom) {
        return atom.kind == Atom::Kind::FloorDiv && holds(-atom.div->dividend) &&
               holds(atom.div->divisor);
      });
      if (above == term.factors.end()) return false;
      term.factors.erase(above);
    }
    return llvm::all_of(term.factors, [&](const Atom& atom) {
      Expr one = Expr::term({1, {atom}});
      if (!atom.div)
        return here_.positive.end() != llvm::find(here_.positive, one) || one == extent_ ||
               (findLet(here_, one) && holds(one));
      return atom.kind == Atom::Kind::FloorDiv && holds(atom.div->divisor) &&
             isAtMost(here_, atom.div->divisor, atom.div->dividend);
    });
  }

  const Work& work_;
  const At& here_;
  const Expr& extent_;
};

// As it is written: the names of iterators are numbers of positions, which are never negative, whatever
// they are computed from.
bool isPositiveAsWritten(const Work& work, const At& here, const Expr& number) {
  const bool isPlain = llvm::none_of(number.symbols(), [&](const std::string& name) {
    return here.lets.count(name) != 0 && !here.find(name);
  });
  return isPlain &&
         facts::Signs(work.builder.kernel()).isNonNegative(number - transforms::constant(1));
}

}  // namespace

ir::Block apply(const Work& work, At here, const LetStep& step) {
  if (isTaken(work, here, step.name))
    return work.refuse(here, "there is something called '" + step.name + "' already");
  Named let{{}, {}, !here.isInLoop};
  let.isPositive =
      llvm::all_of(step.of, [&](const Expr& one) { return isPositiveAsWritten(work, here, one); });
  bool isKnown = here.isInLoop;
  std::optional<int64_t> least;
  for (const Expr& one : step.of) {
    auto number = work.number(here, one);
    if (!number) return work.refuse(here, number.reason());
    auto known = number->asConstant();
    isKnown &= known.has_value();
    if (known) least = std::min(least.value_or(*known), *known);
    let.of.push_back(*number);
  }
  ir::Block block, memory;
  if (isKnown && *least > 1) {  // tiles of one position would be gone
    let.value = transforms::constant(*least);
  } else {
    const std::string name = work.builder.name(step.name);
    let.value = transforms::size(name);
    block.push_back({ir::Bound{name, let.of}});
  }
  const bool isOutside = let.isOutside;
  here.lets.emplace(step.name, std::move(let));
  ir::Block rest = isOutside ? work.rest(std::move(here), memory) : work.rest(std::move(here));
  transforms::append(block, std::move(memory));
  transforms::append(block, std::move(rest));
  return block;
}

std::optional<int64_t> mostOf(const At& here, const Expr& number) {
  return mostOf(here, std::vector{number});
}

std::optional<int64_t> mostOf(const At& here, const std::vector<Expr>& factors) {
  std::optional<int64_t> product = 1;
  for (const Expr& factor : factors) product = times(product, mostOfOne(here, factor));
  auto improve = [&](std::optional<int64_t> most) {
    if (most) product = std::min(product.value_or(*most), *most);
  };
  for (size_t i = 0; i < factors.size(); ++i) {
    std::vector<Expr> others = factors;
    others.erase(others.begin() + static_cast<ptrdiff_t>(i));
    if (auto parts = partsOf(here, factors[i])) {
      parts->insert(parts->end(), others.begin(), others.end());
      improve(mostOf(here, *parts));
    }
    for (const Expr& e : atMost(here, factors[i]))
      for (size_t j = 0; j < others.size(); ++j) {
        std::vector<Expr> fewer = others;
        fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(j));
        // (x floordiv a) * a <= x
        if (const affine::Division* division = divisionIn(e);
            division && division->divisor == others[j]) {
          fewer.push_back(division->dividend);
          improve(mostOf(here, fewer));
        }
        // (x ceildiv (u * a)) * u * a <= x + u * a
        if (auto above = roundedIn(e);
            above && above->divisor == others[j] * transforms::constant(above->unit))
          improve(times(plus(above->of, times(above->unit, mostOf(here, others[j]))),
                        mostOf(here, fewer)));
      }
  }
  return product;
}

bool isPositive(const Work& work, const At& here, const Expr& number, const Expr& extent) {
  return extent.asConstant() == 0 || Positive(work, here, extent).holds(number);
}

bool followsOn(const At& here, const Expr& outer, const Expr& by, const Expr& extent) {
  const Named *inside = findLet(here, by), *outside = findLet(here, outer);
  const auto all = extent.asConstant();
  if (inside && all &&
      llvm::all_of(inside->of, [&](const Expr& e) { return e.asConstant().value_or(0) >= *all; }))
    return true;
  if (outer == transforms::constant(1) || by == extent) return true;
  if (!inside || !outside || inside->of.size() != 2 || inside->of[0] != extent) return false;
  // Where `by` is not the extent, it is inside->of[1]. That floordiv `by` is 1 then, and so is, at most,
  // what is divided further.
  return llvm::any_of(outside->of, [&](const Expr& number) {
    const Expr* rest = &number;
    while (const affine::Division* division = divisionIn(*rest)) {
      if (division->divisor == by && division->dividend == inside->of[1]) return true;
      rest = &division->dividend;
    }
    return false;
  });
}

}  // namespace einc::strategy
