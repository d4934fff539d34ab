// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/asked.h"

#include <algorithm>

#include "compiler/facts/facts.h"

namespace einc::facts {

using affine::Expr;

namespace {

// Memory of locals begins at a multiple of so many bytes (ir::Alloc).
constexpr int64_t kLocalBytes = 64;

}  // namespace

Asked Asked::operator&(const Asked& other) const {
  if (known == false || other.known == false) return no();
  std::vector<Question> all = questions;
  for (const Question& question : other.questions)
    if (std::find(all.begin(), all.end(), question) == all.end()) all.push_back(question);
  return of(std::move(all));
}

Asked Facts::ask(const std::vector<ir::Condition>& conditions) const {
  Asked all = Asked::yes();
  for (const ir::Condition& c : conditions) all = all & ask(c);
  return all;
}

Asked Facts::ask(const ir::Condition& c) const {
  using Kind = ir::Condition::Kind;
  if (c.kind == Kind::Unit) return askUnit(unit(c.tensor, c.dim));
  if (c.kind == Kind::Even) return askEven(c.tensor, c.dim);
  if (c.kind == Kind::Aligned) return askAligned(c);
  if (auto known = holds(c)) return {known};
  const Comparison::Sign sign = c.kind == Kind::Equal  ? Comparison::Sign::Equal
                                : c.kind == Kind::Less ? Comparison::Sign::Less
                                                       : Comparison::Sign::LessEqual;
  return Asked::of({Comparison{c.left, sign, c.right}});
}

Asked Facts::askUnit(const Unit& asked) const {
  switch (asked.kind) {
    case Unit::Kind::Always:
      return Asked::yes();
    case Unit::Kind::Never:
      return Asked::no();
    case Unit::Kind::Stride:
      return Asked::of({Stride{asked.tensor, asked.dim, {}}});
    case Unit::Kind::Table:
      return Asked::of({Run{asked.table, asked.first, asked.size}});
    case Unit::Kind::Seams:
      break;
  }
  // It goes on by one at each of them.
  const ir::View& view = *viewOf(asked.tensor);
  Asked all = Asked::yes();
  for (const Expr& seam : seams(view)) {
    Index after(view.dims.size()), before(view.dims.size());
    after[asked.dim] = seam;
    before[asked.dim] = seam - Expr::constant(1);
    all = all & askDistance(asked.tensor, before, after, {});
  }
  return all;
}

// Of a dimension that stands for several, from the innermost on: one is as far as all of those inside of it.
Asked Facts::askEven(unsigned tensor, unsigned dim) const {
  if (evens_.count({tensor, dim})) return Asked::yes();
  const ir::View* view = viewOf(tensor);
  if (!view) return Asked::yes();
  if (tableOf(tensor, dim)) return Asked::no();
  if (!divides(*view, dim)) {
    const auto moved = movedBy(*view, dim);
    return moved ? askEven(view->base, moved->dim) : Asked::no();
  }
  const std::vector<Joined> parts = joined(*view, dim);
  if (parts.empty()) return Asked::no();
  Asked all = Asked::yes();
  for (size_t i = 0; i + 1 < parts.size(); ++i)
    all = all & askApart(rootDim(view->base, parts[i + 1].dim), rootDim(view->base, parts[i].dim),
                         parts[i].size);
  return all;
}

// Memory of locals is row-major.
Asked Facts::askApart(const std::optional<RootDim>& outer, const std::optional<RootDim>& inner,
                      const Expr& count) const {
  if (!outer || !inner || outer->first != inner->first) return Asked::no();
  const ir::Tensor& root = kernel_->tensors[outer->first];
  if (root.role != ir::Role::Local)
    return Asked::of({Apart{outer->first, outer->second, inner->second, count}});
  Expr between = Expr::constant(1);
  for (unsigned d = outer->second + 1; d <= inner->second; ++d) between = between * root.shape[d];
  return outer->second < inner->second && between == count ? Asked::yes() : Asked::no();
}

// In memory that is row-major; nothing where it is looked up.
std::optional<Expr> Facts::placeInLocal(unsigned tensor, const Index& index) const {
  for (const ir::View* view = viewOf(tensor); view; view = viewOf(view->base))
    for (unsigned d = 0; d < view->dims.size(); ++d)
      if (tableOf(view->view, d)) return std::nullopt;
  const ir::Tensor& root = kernel_->tensors[rootOf(tensor)];
  if (root.role != ir::Role::Local) return std::nullopt;
  const Index at = rootIndex(tensor, index);
  Expr place;
  for (size_t d = 0; d < at.size(); ++d) place = place * root.shape[d] + at[d];
  return place;
}

// Of a number of elements.
Asked Facts::askLength(const Expr& elements, const Length& length) const {
  const int64_t by = length.multipleOf.value_or(1);
  if (length.multipleOf && factorOf(elements) % by == 0) return Asked::yes();
  const Expr left = length.multipleOf ? elements.mod(Expr::constant(by)) : elements,
             right = Expr::constant(length.multipleOf ? 0 : 1);
  if (auto value = valueOf(left)) return {*value == *right.asConstant()};
  return Asked::of({Comparison{left, Comparison::Sign::Equal, right}});
}

Asked Facts::askDistance(unsigned tensor, const Index& from, const Index& to,
                         const Length& length) const {
  auto first = placeInLocal(tensor, from), last = placeInLocal(tensor, to);
  if (first && last) return askLength(*last - *first, length);
  return Asked::of({Distance{tensor, from, to, length}});
}

// The first line, and the distances between lines; never where addresses are not linear in positions.
// Elements are at multiples of their own size wherever they are, but parts of bytes: of a byte.
Asked Facts::askAligned(const ir::Condition& c) const {
  const ir::Tensor& t = kernel_->tensors[c.tensor];
  const int64_t bytes = c.left.asConstant().value_or(1),
                own = std::max<int64_t>(ir::info(t.type).bytes(), 1);
  if (bytes <= own && !isPacked(c.tensor)) return Asked::yes();
  if (bytes > own && isPacked(c.tensor)) return Asked::no();
  const Length length{elementsIn(c.tensor, bytes)};
  const Index zero(t.shape.size());
  const std::optional<Expr> first = placeInLocal(c.tensor, zero);
  const bool isLocal = first && bytes <= kLocalBytes;
  const bool isPromised = ir::isArgument(t.role) && !viewOf(c.tensor) && bytes <= aligned_;
  Asked all = isLocal      ? askLength(*first, length)
              : isPromised ? Asked::yes()
                           : Asked::of({Start{c.tensor, bytes}});
  for (unsigned d = 0; d < t.shape.size(); ++d) {
    if (d == c.dim) continue;
    Index next = zero;
    next[d] = Expr::iterator(".line");
    if (!isLinear(c.tensor, next, ".line")) return Asked::no();
    next[d] = Expr::constant(1);
    all = all & (viewOf(c.tensor) || first ? askDistance(c.tensor, zero, next, length)
                                           : Asked::of({Stride{c.tensor, d, length}}));
  }
  return all;
}

}  // namespace einc::facts
