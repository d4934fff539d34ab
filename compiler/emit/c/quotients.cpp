// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Quotients and rests at positions of a dimension that stands for several: tests of what is outside ask for them at each
// element, and divisions are slow. They are looked up where there is a table of them (ir::Offsets).
//
//   int64_t I_quotients_data[2 * 64];
//   for (int64_t position = 0; position < n0_size; ++position) {
//     I_quotients_data[0 * 64 + position] = (n0 + position) / OW;
//     I_quotients_data[1 * 64 + position] = (n0 + position) % OW;
//   }
//   ... I_quotients_data[0 * 64 + n] + kh < IH ...
//
// What else is computed at these positions, as offsets, looks them up, too. (Measured on Zen 5, padded convolutions with sizes that
// are not known: channels last, 48 x 48 x 160, 3 x 3, to 48 channels 13.3 ms, and 8.6 so; in other layouts 2.0 to 4.6 times as
// fast.)
#include <algorithm>

#include "compiler/emit/c/body.h"
#include "compiler/emit/c/once.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::emit {

using affine::Atom;
using affine::Expr;

namespace {

// What is divided at last, of quotients of quotients.
Expr innermost(const Expr& dividend) {
  if (dividend.terms().size() == 1 && dividend.terms()[0].factors.size() == 1 &&
      dividend.terms()[0].coefficient == 1 && dividend.terms()[0].factors[0].div)
    return innermost(dividend.terms()[0].factors[0].div->dividend);
  return dividend;
}

Expr asExpr(const Atom& atom) {
  return atom.kind == Atom::Kind::Mod ? atom.div->dividend.mod(atom.div->divisor)
                                      : atom.div->dividend.floorDiv(atom.div->divisor);
}

}  // namespace

// Those of the index of what has memory, in their order, where the other dimensions of the view are at 0.
std::vector<Atom> PlacePrinter::quotientsAlong(const ir::Offsets& offsets) const {
  Index at(kernel_.tensors[offsets.view].shape.size());
  at[offsets.dim] = Expr::iterator(kPosition);
  std::vector<Atom> found;
  for (const Expr& e : facts_.rootIndex(offsets.view, at))
    for (const affine::Term& term : e.terms())
      for (const Atom& atom : term.factors)
        if (atom.div && asExpr(atom).mentions(kPosition) &&
            std::find(found.begin(), found.end(), atom) == found.end())
          found.push_back(atom);
  return found;
}

// Those of which there are more than rows are computed.
void BodyWriter::quotientTable(const ir::Offsets& offsets, const affine::Expr& positions,
                               const std::string& loop) {
  const ir::Tensor& table = kernel_.tensors[*offsets.quotients];
  std::vector<QuotientRow> rows;
  withOnce([&] {
    enter(kPosition);
    out_.line(prelude_.need("short_loop"));
    out_.open(loop + " {");
    for (const affine::Atom& atom : quotientsAlong(offsets)) {
      const auto row = static_cast<int64_t>(rows.size());
      if (row >= *table.shape[0].asConstant()) break;
      affine::Expr place =
          affine::Expr::constant(row) * table.shape[1] + affine::Expr::iterator(kPosition);
      out_.line(scope_.data(*offsets.quotients) + "[" + printer_.index(place) +
                "] = " + printer_.index(affine::Expr::term({1, {atom}})) + ";");
      rows.push_back({atom, positions, *offsets.quotients, row});
    }
    out_.close("}");
  });
  llvm::append_range(quotientRows_, rows);
}

bool PlacePrinter::isInTable(const Expr& position, const Expr& positions) const {
  if (!isNeverNegative(position)) return false;
  auto isBelow = [&](const facts::Facts& facts) {
    return facts::everywhere(position, repeatedAxes(),
                             [&](const Expr& e) { return facts.isBelow(e, positions); });
  };
  if (isBelow(facts_)) return true;
  facts::Facts here = facts_;
  for (const facts::Comparison& c : tested_)
    if (c.sign == facts::Comparison::Sign::Less) here.assumeBelow(c.left, c.right);
  return isBelow(here);
}

// The entry of a table that this is for certain, or "".
std::string PlacePrinter::lookedUp(const std::string& function, const Expr& what,
                                   const Expr& by) const {
  for (const QuotientRow& row : quotientRows_) {
    const bool isRest = row.at.kind == Atom::Kind::Mod;
    if (isRest != (function == "floormod") || row.at.div->divisor != by) continue;
    const Expr position =
        innermost(what) - facts::substituted(innermost(row.at.div->dividend), kPosition, Expr());
    if (facts::substituted(row.at.div->dividend, kPosition, position) != what ||
        !isInTable(position, row.positions))
      continue;
    const ir::Tensor& table = kernel_.tensors[row.table];
    return scope_.data(row.table) + "[" +
           printer_.index(Expr::constant(row.row) * table.shape[1] + position) + "]";
  }
  return "";
}

}  // namespace einc::emit
