// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/positions.h"

#include <algorithm>
#include <numeric>

#include "compiler/facts/views.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::facts {

using affine::Atom;
using affine::Expr;

static std::optional<int64_t> tileSize(std::optional<int64_t> extent, std::optional<int64_t> step) {
  if (!extent || !step || *extent < 1 || *step < 1) return std::nullopt;
  if (*extent <= *step) return extent;
  return *extent % *step == 0 ? step : std::nullopt;
}

std::optional<int64_t> tileSize(const ir::TileLoop& loop) {
  return tileSize(loop.extent.asConstant(), loop.step.asConstant());
}

// ---- Statements ---------------------------------------------------------------------------------

void Positions::enter(const ir::For& loop) {
  extents_[loop.var] = loop.extent;
  tiles_.erase(loop.var);
}

void Positions::enter(const ir::TileLoop& loop) {
  auto step = valueOf(loop.step), extent = valueOf(loop.extent);
  extents_.erase(loop.var);
  if (step == 1) extents_[loop.var] = loop.extent;
  tiles_[loop.var] = {loop.extent, loop.size, step};
  values_.erase(loop.size);
  if (auto size = step == 1 ? step : tileSize(extent, step)) values_[loop.size] = *size;
}

void Positions::enter(const ir::Axis& axis) {
  extents_[axis.name] = Expr::constant(axis.size);
  tiles_.erase(axis.name);
}

void Positions::assume(const ir::Condition& c) {
  if (c.kind != ir::Condition::Kind::Equal) return;
  const bool isMirrored = c.left.asConstant().has_value();
  const Expr& number = isMirrored ? c.right : c.left;
  const auto value = (isMirrored ? c.left : c.right).asConstant();
  if (!value) return;
  if (auto symbol = number.asSymbol())
    values_[*symbol] = *value;
  else
    numbers_.emplace_back(number, *value);
}

void Positions::assumeNot(const std::vector<ir::Condition>& conditions) {
  if (conditions.size() != 1 || conditions[0].kind != ir::Condition::Kind::LessEqual) return;
  if (auto number = conditions[0].right.asConstant())
    above_.emplace_back(conditions[0].left, *number);
}

bool Positions::isAbove(const Expr& size, int64_t number) const {
  if (auto known = valueOf(size)) return *known > number;
  return std::any_of(above_.begin(), above_.end(), [&](const auto& known) {
    return known.first == size && known.second >= number;
  });
}

// ---- Values -------------------------------------------------------------------------------------

std::optional<int64_t> Positions::valueOf(const std::string& symbol) const {
  auto known = values_.find(symbol);
  return known == values_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<int64_t> Positions::valueOf(const Expr& size) const {
  if (auto number = size.asConstant()) return number;
  if (auto symbol = size.asSymbol()) return valueOf(*symbol);
  auto known = std::find_if(numbers_.begin(), numbers_.end(),
                            [&](const auto& number) { return number.first == size; });
  return known == numbers_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<bool> Positions::holds(const ir::Condition& c) const {
  auto left = valueOf(c.left), right = valueOf(c.right);
  if (!left || !right) return std::nullopt;
  switch (c.kind) {
    case ir::Condition::Kind::Equal:
      return *left == *right;
    case ir::Condition::Kind::Less:
      return *left < *right;
    case ir::Condition::Kind::LessEqual:
      return *left <= *right;
    case ir::Condition::Kind::Unit:
    case ir::Condition::Kind::Even:
    case ir::Condition::Kind::Aligned:
      break;
  }
  return std::nullopt;
}

// The largest value of something that is not negative, where it is a constant.
std::optional<int64_t> Positions::mostOf(const Atom& atom) const {
  switch (atom.kind) {
    case Atom::Kind::Symbol:
      if (auto* bound = signs_.boundOf(atom.name)) {
        std::optional<int64_t> least;
        for (const Expr& e : *bound)
          if (auto most = mostOf(e)) least = std::min(least.value_or(*most), *most);
        return least;
      }
      return valueOf(atom.name);
    case Atom::Kind::Iterator: {
      if (auto tile = tiles_.find(atom.name); tile != tiles_.end()) {
        auto extent = valueOf(tile->second.extent), step = tile->second.step;
        if (!extent || !step || *step < 1 || *extent < 1) return std::nullopt;
        return (*extent - 1) / *step * *step;
      }
      auto extent = extents_.find(atom.name);
      if (extent == extents_.end()) return std::nullopt;
      auto value = valueOf(extent->second);
      return value && *value > 0 ? std::optional(*value - 1) : std::nullopt;
    }
    default:
      break;
  }
  auto divisor = valueOf(atom.div->divisor), dividend = mostOf(atom.div->dividend);
  if (!divisor || *divisor < 1) return std::nullopt;
  if (atom.kind == Atom::Kind::Mod)
    return dividend ? std::min(*dividend, *divisor - 1) : *divisor - 1;
  return dividend ? std::optional(*dividend / *divisor) : std::nullopt;
}

std::optional<int64_t> Positions::mostOf(const Expr& e) const {
  constexpr int64_t kLimit = int64_t{1} << 31;
  if (!isNonNegative(e)) return std::nullopt;
  int64_t sum = 0;
  for (const affine::Term& term : e.terms()) {
    int64_t product = term.coefficient;
    for (const Atom& atom : term.factors) {
      auto most = mostOf(atom);
      if (!most || *most > kLimit || product > kLimit) return std::nullopt;
      product *= *most;
    }
    if (product > kLimit || sum > kLimit) return std::nullopt;
    sum += product;
  }
  return sum;
}

// Known without a test: below a constant; a loop that runs to the size; a position in a tile of
// which all positions exist.
bool Positions::isBelow(const Expr& index, const Expr& size) const {
  auto number = index.asConstant(), limit = valueOf(size);
  if (number && limit) return *number < *limit;
  if (auto most = number ? number : mostOf(index); most && isAbove(size, *most)) return true;
  if (auto var = index.asIterator(); var && extents_.count(*var))
    if (extents_.at(*var) == size) return true;
  if (llvm::is_contained(below_, std::pair(index, size)) || isQuotientBelow(index, size))
    return true;
  for (const std::string& name : index.iterators()) {
    auto tile = tiles_.find(name);
    if (tile == tiles_.end() || !(tile->second.extent == size)) continue;
    Expr rest = index - Expr::iterator(name);
    if (rest.isZero()) return true;
    if (rest.mentions(name)) continue;
    auto most = rest.asConstant(), known = valueOf(tile->second.size);
    if (!most) most = mostOf(rest);
    if (most && known && *most < *known) return true;
    // A loop inside that runs to the tile's size, or tiles of it.
    if (isBelow(rest, Expr::symbol(tile->second.size))) return true;
  }
  return false;
}

// What stands for several positions: the rest is below the divisor, the quotient below what there are more of. Where one of
// them is 0, there are none.
bool Positions::isQuotientBelow(const Expr& index, const Expr& size) const {
  if (index.terms().size() != 1 || index.terms()[0].coefficient != 1 ||
      index.terms()[0].factors.size() != 1 || !index.terms()[0].factors[0].div)
    return false;
  const Atom& atom = index.terms()[0].factors[0];
  const Expr &dividend = atom.div->dividend, &divisor = atom.div->divisor;
  if (!isNonNegative(divisor)) return false;
  if (atom.kind == Atom::Kind::Mod) return divisor == size;
  return isBelow(dividend, divisor * size);
}

// ---- Multiples ----------------------------------------------------------------------------------

int64_t Positions::factorOf(const Atom& atom) const {
  if (atom.kind == Atom::Kind::Iterator) {
    auto tile = tiles_.find(atom.name);
    return tile == tiles_.end() ? 1 : std::gcd(tile->second.step.value_or(1), 64);
  }
  if (atom.kind == Atom::Kind::Symbol) {
    auto* bound = signs_.boundOf(atom.name);
    if (bound && bound->size() == 1) return factorOf((*bound)[0]);
    auto known = valueOf(atom.name);
    return known ? std::gcd(*known, 64) : 1;
  }
  int64_t dividend = factorOf(atom.div->dividend);
  if (atom.kind == Atom::Kind::Mod) return std::gcd(dividend, factorOf(atom.div->divisor));
  auto divisor = atom.div->divisor.asConstant();
  return divisor && *divisor > 0 && dividend % *divisor == 0 ? dividend / *divisor : 1;
}

int64_t Positions::factorOf(const Expr& e) const {
  int64_t all = 64;
  for (const affine::Term& term : e.terms()) {
    int64_t factor = std::gcd(term.coefficient, 64);
    for (const Atom& atom : term.factors) factor = std::gcd(factor * factorOf(atom), 64);
    all = std::gcd(all, factor);
  }
  return all;
}

}  // namespace einc::facts
