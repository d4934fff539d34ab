// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/signs.h"

#include <algorithm>

namespace einc::facts {
namespace {

Sign product(Sign a, Sign b) {
  if (a == Sign::Unknown || b == Sign::Unknown) return Sign::Unknown;
  return a == b ? Sign::NotNegative : Sign::NotPositive;
}

}  // namespace

const std::vector<affine::Expr>* Signs::boundOf(const std::string& name) const {
  auto found = bounds_.find(name);
  return found == bounds_.end() ? nullptr : &found->second;
}

Sign Signs::of(const affine::Expr& e) const {
  if (e.overflowed()) return Sign::Unknown;
  Sign all = Sign::NotNegative;
  bool isFirst = true;
  for (const affine::Term& term : e.terms()) {
    Sign sign = term.coefficient < 0 ? Sign::NotPositive : Sign::NotNegative;
    for (const affine::Atom& atom : term.factors) sign = product(sign, of(atom));
    if (sign == Sign::Unknown || (!isFirst && sign != all)) return Sign::Unknown;
    all = sign;
    isFirst = false;
  }
  return all;
}

// A remainder has the divisor's sign. A quotient, rounded down, has that of the exact one: what is
// negated is negated, too, as ceildiv(x, y) is -floordiv(-x, y).
Sign Signs::of(const affine::Atom& atom) const {
  switch (atom.kind) {
    case affine::Atom::Kind::Iterator:
      return Sign::NotNegative;
    case affine::Atom::Kind::Symbol:
      return ofSymbol(atom.name);
    case affine::Atom::Kind::FloorDiv:
      return product(of(atom.div->dividend), of(atom.div->divisor));
    case affine::Atom::Kind::Mod:
      return of(atom.div->divisor);
  }
  return Sign::Unknown;
}

// A bound is the least of its expressions. Sizes, of arguments and of tiles, are checked, or made
// so.
Sign Signs::ofSymbol(const std::string& name) const {
  if (const std::vector<affine::Expr>* least = boundOf(name)) {
    auto isAtMost0 = [&](const auto& e) { return e.isZero() || of(e) == Sign::NotPositive; };
    if (std::any_of(least->begin(), least->end(), isAtMost0)) return Sign::NotPositive;
    auto isAtLeast0 = [&](const auto& e) { return isNonNegative(e); };
    return std::all_of(least->begin(), least->end(), isAtLeast0) ? Sign::NotNegative
                                                                 : Sign::Unknown;
  }
  auto reference = kernel_->attributeOf(name);
  if (!reference) return Sign::NotNegative;
  const ir::TypeInfo& type = ir::info(kernel_->attributes[reference->attribute].type);
  bool isUnsigned = type.cls == ir::TypeClass::Unsigned && type.bits < 64;
  return isUnsigned ? Sign::NotNegative : Sign::Unknown;
}

}  // namespace einc::facts
