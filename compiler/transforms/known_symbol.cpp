// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/known_symbol.h"

#include <optional>

namespace einc::transforms {

using affine::Expr;

Expr withKnown(const Expr& index, const std::string& symbol, const Expr& number) {
  Expr known = index.substitute([&](const affine::Atom& atom) -> std::optional<Expr> {
    if (atom.kind != affine::Atom::Kind::Symbol || atom.name != symbol) return std::nullopt;
    return number;
  });
  return known.asIterator() || known.overflowed() ? index : known;
}

void setKnown(ir::StructuredOp& op, const std::string& symbol, const Expr& number) {
  for (size_t i = 0; i < op.operandCount(); ++i)
    for (Expr& index : op.operand(i).map) index = withKnown(index, symbol, number);
}

}  // namespace einc::transforms
