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
// In long tables of offsets there is one division for each row of rests:
//
//   for (int64_t position = 0; position < n0_size;) {
//     const int64_t row = (n0 + position) / OW, end = einc_least((row + 1) * OW - n0, n0_size);
//     for (; position < end; ++position) O_offsets_data[position] = row * O_stride0 + (n0 + position - row * OW) * O_stride1;
//   }
//
// (Measured on Zen 5, 12544 positions: two tables of them, 19 us, and 8 so.)
//
// What else is computed at these positions, as offsets, looks them up, too. (Measured on Zen 5, padded convolutions with sizes that
// are not known: channels last, 48 x 48 x 160, 3 x 3, to 48 channels 13.3 ms, and 8.6 so; in other layouts 2.0 to 4.6 times as
// fast.)
#include <algorithm>

#include "compiler/emit/c/body.h"
#include "compiler/emit/c/once.h"
#include "compiler/emit/text/references.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::emit {

using affine::Atom;
using affine::Expr;

namespace {

// From so many positions on.
constexpr int64_t kLongTable = 128;

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

// Where there are enough of them: what is divided moves by one from position to position, and is never negative.
std::optional<RowOfRests> PlacePrinter::rowsAlong(const ir::Offsets& offsets) const {
  const auto length = kernel_.tensors[offsets.table].shape[0].asConstant();
  if (!length || *length < kLongTable) return std::nullopt;
  for (const Atom& atom : quotientsAlong(offsets)) {
    const Expr &dividend = atom.div->dividend, &divisor = atom.div->divisor;
    const auto number = divisor.asConstant();
    if (atom.kind != Atom::Kind::Mod || dividend.stepAlong(kPosition) != Expr::constant(1) ||
        divisor.mentions(kPosition) || !isNeverNegative(dividend) ||
        !(number ? *number > 0 : facts_.isNonNegative(divisor)))
      continue;
    return RowOfRests{dividend, divisor, scope_.local(".row")};
  }
  return std::nullopt;
}

// table[i]: how far position i of the dimension is from position 0.
void BodyWriter::operator()(const ir::Offsets& offsets) {
  const Expr positions = kernel_.tensors[offsets.view].shape[offsets.dim];
  if (offsets.quotients) quotientTable(offsets, positions);
  tested_ = {{Expr::iterator(kPosition), facts::Comparison::Sign::Less, positions}};
  withOnce([&] {
    enter(kPosition);
    offsetTable(offsets, positions);
  });
  tested_.clear();
  facts_.enter(offsets);
}

void BodyWriter::offsetTable(const ir::Offsets& offsets, const Expr& positions) {
  const std::string table = scope_.data(offsets.table), i = scope_.local(kPosition),
                    count = printer_.index(positions);
  const size_t rank = kernel_.tensors[offsets.view].shape.size();
  Index at(rank), zero(rank);
  at[offsets.dim] = Expr::iterator(kPosition);
  row_ = offsets.quotients ? std::nullopt : rowsAlong(offsets);
  const std::string distance =
      wrapped(address(offsets.view, at)) + " - " + wrapped(address(offsets.view, zero));
  std::optional<RowOfRests> row = std::exchange(row_, std::nullopt);
  if (row && referencesIn(distance).count(row->quotient) == 0) row.reset();
  if (row) {
    const std::string end = scope_.local(".end"), by = wrapped(printer_.index(row->divisor)),
                      first = printer_.index(facts::substituted(row->dividend, kPosition, Expr()));
    out_.open("for (int64_t " + i + " = 0; " + i + " < " + count + ";) {");
    out_.line("const int64_t " + row->quotient + " = " + wrapped(printer_.index(row->dividend)) +
              " / " + by + ";");
    out_.line("const int64_t " + end + " = " + prelude_.need("least") + "((" + row->quotient +
              " + 1) * " + by + (first == "0" ? "" : " - " + wrapped(first)) + ", " + count + ");");
    out_.line(prelude_.need("short_loop"));
    out_.open("for (; " + i + " < " + end + "; ++" + i + ")");
  } else {
    out_.line(prelude_.need("short_loop"));
    out_.open("for (int64_t " + i + " = 0; " + i + " < " + count + "; ++" + i + ")");
  }
  out_.line(table + "[" + i + "] = " + distance + ";");
  out_.dedent();
  if (row) out_.close();
}

// Those of which there are more than rows are computed.
void BodyWriter::quotientTable(const ir::Offsets& offsets, const affine::Expr& positions) {
  const std::string i = scope_.local(kPosition);
  const ir::Tensor& table = kernel_.tensors[*offsets.quotients];
  std::vector<QuotientRow> rows;
  withOnce([&] {
    enter(kPosition);
    out_.line(prelude_.need("short_loop"));
    out_.open("for (int64_t " + i + " = 0; " + i + " < " + printer_.index(positions) + "; ++" + i +
              ") {");
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
  if (row_ && what == row_->dividend) {
    const auto number = by.asConstant(), rests = row_->divisor.asConstant();
    if (by == row_->divisor && function == "floordiv") return row_->quotient;
    if (by == row_->divisor)
      return "(" + printer_.index(what) + " - " + row_->quotient + " * " +
             wrapped(printer_.index(by)) + ")";
    if (function == "floordiv" && number && rests && *number % *rests == 0)
      return "(" + row_->quotient + " / " + std::to_string(*number / *rests) + ")";
  }
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
