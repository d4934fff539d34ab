// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/reach.h"

#include "compiler/ir/shape.h"

namespace einc::ir {

using affine::Expr;

Sign signOf(const Expr& polynomial) {
  Expr shifted = polynomial.substitute([](const affine::Atom& atom) -> std::optional<Expr> {
    return Expr::symbol(atom.name) + Expr::constant(1);
  });
  bool positive = false, negative = false;
  for (const affine::Term& term : shifted.terms()) {
    for (const affine::Atom& atom : term.factors)
      if (atom.div) return Sign::Unknown;
    (term.coefficient > 0 ? positive : negative) = true;
  }
  if (shifted.overflowed() || (positive && negative)) return Sign::Unknown;
  return positive ? Sign::Positive : negative ? Sign::Negative : Sign::Zero;
}

std::optional<Reach> reachOf(const Kernel& kernel, const StructuredOp& op, const Expr& index) {
  auto linear = index.asLinear();
  if (!linear) return std::nullopt;
  Reach reach{linear->rest, linear->rest};
  for (const auto& part : linear->parts) {
    auto extent = extentOf(kernel, op, part.iterator);
    Sign sign = signOf(part.coefficient);
    if (!extent || sign == Sign::Unknown) return std::nullopt;
    Expr last = part.coefficient * (extent->extent - Expr::constant(1));
    Expr& end = sign == Sign::Negative ? reach.low : reach.high;
    end = end + last;
  }
  return reach;
}

}  // namespace einc::ir
