// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is computed once before a region of vectors, or before a nest of scalar loops:
//
//   const int64_t q1 = n04 / 48;
//   const int64_t C_at = C_offset + (m0 + m04) * C_stride0 + n0 + n04;
//   for (int64_t p = 0; p < k0_size; ++p) { ... packed_B_data[(q1 * kc + p) * 48] ... }
//   ... C_data[C_at + m * C_stride0] ...
//
// Quotients and rests, and of the place of an argument's element what does not move. C compilers
// see it, too, but not across the conditions of tiles that are cut off. A function of its own gets
// these as parameters, places as pointers (outline.cpp):
//
//   matmul_tile(&C_data[C_offset + (m0 + m04) * C_stride0 + n0 + n04], ..., C_stride0, k0_size);
#include <algorithm>
#include <utility>

#include "compiler/emit/c/places.h"

namespace einc::emit {

using affine::Expr;

void PlacePrinter::enter(const std::string& name) {
  if (once_) once_->inside.insert(name);
  if (ofFunction_) ofFunction_->inside.insert(name);
  if (rows_) rows_->inside.insert(name);
}

// Attributes and scalars may be anything: what is computed of them may only be computed where the
// element is there.
bool PlacePrinter::isSameIn(const Once& once, const affine::Expr& e) const {
  for (const std::string& name : e.iterators())
    if (once.inside.count(name) != 0) return false;
  for (const std::string& name : e.symbols())
    if (once.inside.count(name) != 0 || !facts_.isNonNegative(affine::Expr::symbol(name)))
      return false;
  return true;
}

// Whether a test of the element's being there looks at what stays: where it is not, its place may
// not even be a number. `checked`: the tensor's own dimensions are tested.
bool PlacePrinter::isTested(unsigned tensor, const Index& index, bool checked) const {
  auto hasSame = [&](const Index& at) {
    Index same = partsOf(at).first;
    return std::any_of(same.begin(), same.end(), [](const Expr& e) { return !e.isZero(); });
  };
  if (!once_) return false;
  if (checked && hasSame(index)) return true;
  Index at = index;
  for (const ir::View* view = facts_.viewOf(tensor); view; view = facts_.viewOf(view->base)) {
    at = facts_.mapped(*view, at);
    if (view->pad && hasSame(at)) return true;
  }
  return false;
}

// What stays, and what moves with the names that change; constants are with the latter, so that
// neighbours have the former in common.
std::pair<PlacePrinter::Index, PlacePrinter::Index> PlacePrinter::partsOf(
    const Index& index) const {
  Index same(index.size()), moving = index;
  for (size_t d = 0; d < index.size() && once_; ++d)
    for (const affine::Term& term : index[d].terms()) {
      affine::Expr part = affine::Expr::term(term);
      if (term.factors.empty() || !isSameInside(part)) continue;
      same[d] = same[d] + part;
      moving[d] = moving[d] - part;
    }
  return {same, moving};
}

std::string PlacePrinter::onceIn(Once& once, const std::string& text, const std::string& name,
                                 const std::string& type) const {
  auto [found, isNew] = once.names.try_emplace(text);
  if (isNew) {
    size_t number = onceCounts_[name]++;
    found->second = scope_.local("." + name + (number > 0 ? std::to_string(number) : ""));
    once.values.push_back({type, found->second, text});
  }
  return found->second;
}

// Where what stays of the index leads. Functions are called with a pointer to there.
std::string PlacePrinter::place(unsigned tensor, const Index& same,
                                const std::string& offset) const {
  const ir::Tensor& t = kernel_.tensors[tensor];
  if (!once_->isCall) return once(strided(tensor, same, offset), t.name + "_at");
  // Its quotients are no values of their own.
  auto around = std::exchange(once_, std::nullopt);
  const bool isWrittenOut = isWrittenOut_;
  const bool isFirst = offset.empty() && std::all_of(same.begin(), same.end(),
                                                     [](const Expr& e) { return e.isZero(); });
  const std::string position = strided(tensor, same, offset), data = scope_.data(tensor);
  isWrittenOut_ = isWrittenOut;
  once_ = std::move(around);
  if (!base_) return once(position, t.name + "_from");
  *base_ = once(
      isFirst ? data : "&" + data + "[" + position + "]", t.name + "_at",
      (t.role == ir::Role::Input ? "const " : "") + std::string(ir::info(t.type).cType) + " *");
  return "";
}

// C's own operators where the sign is known. A divisor that is a size may be 0 where no loop along
// the dividend is around.
std::string PlacePrinter::quotient(const std::string& function, const affine::Expr& what,
                                   const affine::Expr& by) const {
  if (function == "ceildiv") return "";
  if (const std::string entry = lookedUp(function, what, by); !entry.empty()) return entry;
  std::string dividend = printer_.index(what), divisor = printer_.index(by);
  auto number = by.asConstant();
  bool isPlain = isNeverNegative(what) && (number ? *number > 0 : facts_.isNonNegative(by));
  std::string text =
      isPlain ? wrapped(dividend) + (function == "floordiv" ? " / " : " % ") + wrapped(divisor)
              : prelude_.need(function) + "(" + dividend + ", " + divisor + ")";
  bool isSafe = number || what.hasIterators();
  if (ofFunction_ && !ofFunction_->inside.empty() && isPlain && isSafe &&
      isSameIn(*ofFunction_, what) && isSameIn(*ofFunction_, by)) {
    if (!number)
      text = prelude_.need(function == "floordiv" ? "quotient" : "rest") + "(" + dividend + ", " +
             divisor + ")";
    return onceIn(*ofFunction_, text, "quotient", "int64_t ");
  }
  if (once_ && isSafe && isSameInside(what) && isSameInside(by)) return once(text, "quotient");
  isWrittenOut_ = false;
  return isPlain ? "(" + text + ")" : text;
}

}  // namespace einc::emit
