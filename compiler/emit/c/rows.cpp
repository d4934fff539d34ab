// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Where unrolled loops read: from the beginnings of rows, which compilers take as they are.
//
//   const float *I_row[4];
//   einc_unrolled for (int64_t row = 0; row < 4; ++row) {
//     I_row[row] = &I_data[I_at + row * I_stride1];
//     einc_opaque(I_row[row]);
//   }
//   einc_unrolled
//   for (int64_t kh = 0; kh < 3; ++kh) {
//     ... I_row[oh + kh][(ow + kw) * I_stride2] ...
//   }
//
// In a repeated region, loops read entries of tables on and on: they are in registers, too (each a load for each broadcast
// otherwise; measured on a Xeon, convolutions of 3 x 3, 64 channels to 16, 32 and 48, GFLOP/s: 114, 153, 173 and 137, 170,
// 183).
//
//   int64_t I_offsets_here[8];
//   einc_unrolled for (int64_t n = 0; n < 8; ++n)
//     I_offsets_here[n] = I_offsets_data[n01 + n];
//
// Without rows, compilers keep an address of each element in memory, and move all of them on in the loop around. (Measured on
// Zen 3, sums of 3 x 3 windows, 2 x 4 at once, us: 16 x 16 x 24 x 4 6.8 and 5.1, 48 x 48 x 96 x 4 239 and 212.)
#include <algorithm>
#include <utility>

#include "compiler/emit/c/places.h"

namespace einc::emit {

using affine::Expr;

namespace {

constexpr int64_t kMostRows = 16;

}  // namespace

// Of an index what moves in unrolled loops, and with registers that are repeated; a constant beside that, too.
Expr PlacePrinter::freePart(const Expr& index) const {
  Expr free;
  int64_t number = 0;
  for (const affine::Term& term : index.terms()) {
    if (term.factors.empty()) number = term.coefficient;
    if (term.factors.size() != 1 || term.factors[0].kind != affine::Atom::Kind::Iterator) continue;
    const std::string& name = term.factors[0].name;
    if (rows_->unrolled.count(name) != 0 || (registers_ && registers_->hasAxis(name)))
      free = free + Expr::term(term);
  }
  return free.isZero() ? free : free + Expr::constant(number);
}

// How large it may be, if it is never negative.
std::optional<int64_t> PlacePrinter::largest(const Expr& free) const {
  int64_t most = 0;
  for (const affine::Term& term : free.terms()) {
    if (term.coefficient < 0) return std::nullopt;
    if (term.factors.empty()) {
      most += term.coefficient;
      continue;
    }
    const std::string& name = term.factors[0].name;
    auto loop = rows_->unrolled.find(name);
    int64_t size = loop == rows_->unrolled.end() ? 0 : loop->second;
    for (const ir::Axis& axis : repeatedAxes())
      if (axis.name == name) size = axis.size;
    most += term.coefficient * std::max<int64_t>(size - 1, 0);
  }
  return most;
}

// Whether it is known before the unrolled loops.
bool PlacePrinter::standsBefore(const Expr& index) const {
  const std::vector<std::string> iterators = index.iterators(), symbols = index.symbols();
  auto isInside = [&](const std::string& name) {
    return rows_->inside.count(name) != 0 || (registers_ && registers_->hasAxis(name));
  };
  return std::none_of(iterators.begin(), iterators.end(), isInside) &&
         std::none_of(symbols.begin(), symbols.end(), isInside);
}

// Where rows begin becomes the base. Nothing for what does not move in unrolled loops, or moves in others inside them.
std::optional<std::string> PlacePrinter::inRows(unsigned tensor, const Index& index,
                                                const std::string& offset) const {
  Index fixed = index, free(index.size());
  std::vector<unsigned> moving;
  for (unsigned d = 0; d < index.size(); ++d) {
    free[d] = freePart(index[d]);
    fixed[d] = index[d] - free[d];
    if (!standsBefore(fixed[d])) return std::nullopt;
    const std::vector<std::string> names = free[d].iterators();
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return rows_->unrolled.count(name) != 0; }))
      moving.push_back(d);
  }
  if (moving.empty()) return std::nullopt;
  std::optional<unsigned> dim;
  int64_t count = 1;
  if (moving.size() > 1) {
    auto most = largest(free[moving[0]]);
    if (!most || *most >= kMostRows) return std::nullopt;
    dim = moving[0];
    count = *most + 1;
  }
  auto [same, rest] = partsOf(fixed);
  const bool isSame =
      std::all_of(same.begin(), same.end(), [](const Expr& e) { return e.isZero(); });
  *base_ = rowsFrom(tensor, strided(tensor, rest, isSame ? offset : place(tensor, same, offset)),
                    dim, count);
  if (dim) *base_ += "[" + printer_.index(std::exchange(free[*dim], Expr())) + "]";
  return strided(tensor, free, "");
}

// The name of so many of them along a dimension, or of one, which begin there.
std::string PlacePrinter::rowsFrom(unsigned tensor, const std::string& from,
                                   std::optional<unsigned> dim, int64_t count) const {
  const ir::Tensor& t = kernel_.tensors[tensor];
  const std::string data = scope_.data(tensor);
  Rows::Row& row = rows_->rows[data + "[" + from + "]" + (dim ? std::to_string(*dim) : "")];
  if (row.count >= count) return row.name;
  if (row.name.empty()) {
    const size_t number = onceCounts_[t.name + "_row"]++;
    row.name = scope_.local("." + t.name + "_row" + (number > 0 ? std::to_string(number) : ""));
  }
  row.count = count;
  const std::string type = (t.role == ir::Role::Input ? "const " : "") +
                           std::string(ir::info(t.type).cType) + " *",
                    opaque = prelude_.need("opaque"), most = std::to_string(count);
  if (!dim) {
    row.lines = {type + row.name + " = &" + data + "[" + from + "];",
                 opaque + "(" + row.name + ");"};
    return row.name;
  }
  const std::string i = scope_.local(".row"), by = stride(tensor, *dim),
                    one = row.name + "[" + i + "]";
  row.lines = {
      type + row.name + "[" + most + "];",
      prelude_.need("unrolled") + " for (int64_t " + i + " = 0; " + i + " < " + most + "; ++" + i +
          ") {",
      "  " + one + " = &" + data + "[" + from + " + " + i + (by.empty() ? "" : " * " + by) + "];",
      "  " + opaque + "(" + one + ");", "}"};
  return row.name;
}

// What a loop reads on and on of a table is in registers.
std::string PlacePrinter::entry(unsigned table, const Expr& at) const {
  std::string text = scope_.data(table) + "[" + printer_.index(at) + "]";
  const bool isThere = mayBeInRow_ && !isPlaceTested_;  // else the entry may not be, either
  if (!entries_ || !isInLoop_ || !once_ || !isThere) return text;
  const ir::Axis* along = nullptr;
  for (const std::string& name : at.iterators()) {
    if (once_->inside.count(name) == 0) continue;
    const std::vector<ir::Axis>& times = registers_->region().times;
    auto axis = std::find_if(times.begin(), times.end(),
                             [&](const ir::Axis& each) { return each.name == name; });
    if (axis == times.end() || along) return text;
    along = &*axis;
  }
  if (!along) return text;
  auto [found, isNew] = entries_->names.try_emplace(text);
  const std::string i = scope_.local(along->name);
  if (isNew) {
    const std::string of = kernel_.tensors[table].name + "_here";
    const size_t number = onceCounts_[of]++;
    found->second = scope_.local("." + of + (number > 0 ? std::to_string(number) : ""));
    entries_->lines.push_back("int64_t " + found->second + "[" +
                              std::to_string(registers_->mostTimes(*along)) + "];");
    entries_->lines.push_back(prelude_.need("unrolled") + " for (int64_t " + i + " = 0; " + i +
                              " < " + count(*along) + "; ++" + i + ")");
    entries_->lines.push_back("  " + found->second + "[" + i + "] = " + text + ";");
  }
  return found->second + "[" + i + "]";
}

}  // namespace einc::emit
