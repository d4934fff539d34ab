// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/ends.h"

#include <algorithm>

namespace einc::facts {

using affine::Atom;
using affine::Expr;
using affine::Term;

bool Ends::isOutside(const Expr& e) const {
  auto names = e.symbols(), iterators = e.iterators();
  names.insert(names.end(), iterators.begin(), iterators.end());
  return std::none_of(names.begin(), names.end(), [&](const std::string& name) {
    return bounds_.count(name) != 0 || extents_.count(name) != 0;
  });
}

bool Ends::isOutside(const Atom& atom) const {
  if (atom.div) return isOutside(atom.div->dividend) && isOutside(atom.div->divisor);
  return bounds_.count(atom.name) == 0 && extents_.count(atom.name) == 0;
}

std::optional<Expr> Ends::end(const Expr& e, bool up) const {
  if (isOutside(e)) return e;
  Expr sum;
  for (const Term& term : e.terms()) {
    auto part = end(term, up == (term.coefficient > 0));
    if (!part) return std::nullopt;
    sum = sum + *part * Expr::constant(term.coefficient);
  }
  return sum;
}

// Of the product without its coefficient. Of several factors, none may be negative.
std::optional<Expr> Ends::end(const Term& term, bool up) const {
  Expr product = Expr::constant(1);
  bool isKnown = std::all_of(term.factors.begin(), term.factors.end(),
                             [&](const Atom& atom) { return isOutside(atom); });
  for (const Atom& atom : term.factors) {
    if (!isKnown && term.factors.size() > 1 && !signs_.isNonNegative(atom)) return std::nullopt;
    auto part = end(atom, up);
    if (!part) return std::nullopt;
    product = product * *part;
  }
  return product;
}

std::optional<Expr> Ends::end(const Atom& atom, bool up) const {
  switch (atom.kind) {
    case Atom::Kind::Iterator: {
      auto extent = extents_.find(atom.name);
      if (extent == extents_.end()) return Expr::iterator(atom.name);
      if (!up) return Expr();
      auto last = most(extent->second);
      return last ? std::optional(*last - Expr::constant(1)) : std::nullopt;
    }
    case Atom::Kind::Symbol: {
      auto bound = bounds_.find(atom.name);
      return bound == bounds_.end() ? Expr::symbol(atom.name) : end(bound->second, up);
    }
    case Atom::Kind::FloorDiv:
    case Atom::Kind::Mod:
      break;
  }
  const Expr& divisor = atom.div->divisor;
  if (!isOutside(divisor) || !signs_.isNonNegative(divisor)) return std::nullopt;
  if (atom.kind == Atom::Kind::Mod) return up ? divisor - Expr::constant(1) : Expr();
  auto dividend = end(atom.div->dividend, up);
  return dividend ? std::optional(dividend->floorDiv(divisor)) : std::nullopt;
}

// The least of several: any of them is as much; a number tells most.
std::optional<Expr> Ends::end(const std::vector<Expr>& least, bool up) const {
  std::optional<Expr> result;
  for (const Expr& e : least) {
    auto one = end(e, up);
    if (!up && !(one && least.size() == 1)) return std::nullopt;
    if (one && (!result || one->asConstant())) result = one;
  }
  return result;
}

}  // namespace einc::facts
