// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/facts.h"

#include <algorithm>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace einc::facts {

using affine::Expr;
using Kind = ir::Condition::Kind;

// ---- Statements ---------------------------------------------------------------------------------

void Facts::enter(const ir::Stmt& stmt) {
  if (auto* view = std::get_if<ir::View>(&stmt.node)) enter(*view);
  if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) enter(*bound);
  if (auto* loop = std::get_if<ir::For>(&stmt.node)) enter(*loop);
  if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) enter(*loop);
  if (auto* region = std::get_if<ir::Vector>(&stmt.node))
    for (const auto* axes : {&region->axes, &region->times})
      for (const ir::Axis& axis : *axes) enter(axis);
}

void Facts::assume(const std::vector<ir::Condition>& conditions) {
  for (const ir::Condition& c : conditions) assume(c);
}

void Facts::assume(const ir::Condition& c) {
  Positions::assume(c);
  if (c.kind == Kind::Unit) assumeUnit(c.tensor, c.dim);
  if (c.kind == Kind::Even) assumeEven(c.tensor, c.dim);
  if (c.kind == Kind::Aligned) {
    int64_t& known = lines_[{c.tensor, c.dim}];
    known = std::max(known, elementsIn(c.tensor, c.left.asConstant().value_or(0)));
  }
}

std::optional<Facts::Joint> Facts::jointOf(unsigned tensor, unsigned dim) const {
  const ir::View* view = viewOf(tensor);
  if (!view || tableOf(tensor, dim) || !divides(*view, dim)) return std::nullopt;
  Joint run{kernel_->tensors[tensor].type, {}, {}};
  for (const Joined& part : joined(*view, dim)) {
    const auto root = rootDim(view->base, part.dim);
    if (!root) return std::nullopt;
    run.dims.push_back(*root);
    run.sizes.push_back(part.size);
  }
  return run.dims.empty() ? std::nullopt : std::optional(std::move(run));
}

bool Facts::isRun(unsigned tensor, unsigned dim) const {
  if (runs_.count({tensor, dim})) return true;
  const auto run = alike_.empty() ? std::nullopt : jointOf(tensor, dim);
  return run && llvm::is_contained(alike_, *run);
}

// So is the dimension of the base that moves with it.
void Facts::assumeUnit(unsigned tensor, unsigned dim) {
  const ir::View* view = viewOf(tensor);
  // Where nothing moves along it neighbours are one element: that never holds.
  if (view && llvm::none_of(view->map, [&](const Expr& e) { return e.mentions(view->dims[dim]); }))
    return;
  units_.insert({tensor, dim});
  if (!view) return;
  if (const auto words = ir::wordsOf(*kernel_, *view); words && words->dim == dim)
    return assumeUnit(view->base, words->along);
  if (divides(*view, dim) && !joined(*view, dim).empty()) {
    runs_.insert({tensor, dim});
    if (auto run = jointOf(tensor, dim)) alike_.push_back(std::move(*run));
  }
  auto moved = movedBy(*view, dim);
  if (moved && !tableOf(tensor, dim)) assumeUnit(view->base, moved->dim);
}

// Of the view that stands for several, which this one moves along.
void Facts::assumeEven(unsigned tensor, unsigned dim) {
  const ir::View* view = viewOf(tensor);
  if (!view || tableOf(tensor, dim)) return;
  if (divides(*view, dim)) {
    if (!joined(*view, dim).empty()) evens_.insert({tensor, dim});
  } else if (auto moved = movedBy(*view, dim)) {
    assumeEven(view->base, moved->dim);
  }
}

void Facts::promiseContiguous() {
  for (unsigned t = 0; t < kernel_->tensors.size(); ++t)
    if (size_t rank = kernel_->tensors[t].shape.size();
        rank > 0 && ir::isArgument(kernel_->tensors[t].role))
      units_.insert({t, static_cast<unsigned>(rank - 1)});
}

// ---- Conditions ---------------------------------------------------------------------------------

std::optional<bool> Facts::holds(const ir::Condition& c) const {
  if (c.kind == Kind::Even) return askEven(c.tensor, c.dim).known;
  if (c.kind != Kind::Unit) return Positions::holds(c);
  switch (unit(c.tensor, c.dim).kind) {
    case Unit::Kind::Always:
      return true;
    case Unit::Kind::Never:
      return false;
    case Unit::Kind::Stride:
    case Unit::Kind::Table:
    case Unit::Kind::Seams:
      break;
  }
  return std::nullopt;
}

Unit Facts::unit(unsigned tensor, unsigned dim) const {
  return unit(tensor, dim, Expr(), kernel_->tensors[tensor].shape[dim]);
}

// Of `size` positions from `first` on.
Unit Facts::unit(unsigned tensor, unsigned dim, const Expr& first, const Expr& size) const {
  const ir::Tensor& t = kernel_->tensors[tensor];
  if (units_.count({tensor, dim}) || isRun(tensor, dim)) return {Unit::Kind::Always};
  if (t.role == ir::Role::Local)
    return {dim + 1 == t.shape.size() ? Unit::Kind::Always : Unit::Kind::Never};
  const ir::View* view = viewOf(tensor);
  if (!view) return {Unit::Kind::Stride, tensor, dim};
  if (auto table = tableOf(tensor, dim))
    return {Unit::Kind::Table, tensor, dim, *table, first, size};
  if (divides(*view, dim))
    return {isJoinedOfStraight(*view, dim) ? Unit::Kind::Seams : Unit::Kind::Never, tensor, dim};
  // What words are made of are neighbours.
  if (const auto words = ir::wordsOf(*kernel_, *view); words && words->dim == dim) {
    const Expr count = Expr::constant(words->count);
    return unit(view->base, words->along, first * count, size * count);
  }
  auto moved = movedBy(*view, dim);
  if (!moved) return {Unit::Kind::Never};
  return unit(view->base, moved->dim, moved->first + first, size);
}

// Whether it is enough to look at its seams: it stands for dimensions each of which goes on by one distance.
bool Facts::isJoinedOfStraight(const ir::View& view, unsigned dim) const {
  const std::vector<Joined> parts = joined(view, dim);
  return !parts.empty() &&
         llvm::all_of(parts, [&](const Joined& part) { return isStraight(view.base, part.dim); });
}

bool Facts::isStraight(unsigned tensor, unsigned dim) const {
  const ir::View* view = viewOf(tensor);
  if (!view || units_.count({tensor, dim})) return true;
  if (tableOf(tensor, dim)) return false;
  for (unsigned d = 0; d < view->map.size(); ++d)
    if (view->map[d].mentions(view->dims[dim]) &&
        (!view->map[d].stepAlong(view->dims[dim]) || !isStraight(view->base, d)))
      return false;
  return true;
}

// ---- Places in memory ----------------------------------------------------------------------------

Address Facts::addressOf(unsigned tensor, Index index) const {
  std::vector<Address::Part> parts;  // from the outermost view on
  while (const ir::View* view = viewOf(tensor)) {
    for (unsigned d = 0; d < index.size(); ++d)
      if (isRun(tensor, d) && !index[d].isZero())
        parts.push_back({std::nullopt, std::exchange(index[d], Expr())});
    for (unsigned d = static_cast<unsigned>(index.size()); d-- > 0;)
      if (auto table = tableOf(tensor, d))
        parts.push_back({table, std::exchange(index[d], Expr())});
    index = onward(*view, std::move(index));
    tensor = view->base;
  }
  std::reverse(parts.begin(), parts.end());
  return {tensor, std::move(index), std::move(parts)};
}

bool Facts::isEven(const ir::View& view, unsigned dim) const {
  if (evens_.count({view.view, dim})) return true;
  return divides(view, dim) && !joined(view, dim).empty() && askEven(view.view, dim).known == true;
}

Index Facts::onward(const ir::View& view, Index index) const {
  std::vector<std::pair<unsigned, Expr>> further;
  for (unsigned d = 0; d < index.size(); ++d)
    if (!index[d].isZero() && isEven(view, d))
      further.emplace_back(joined(view, d).front().dim, std::exchange(index[d], Expr()));
  Index result = mapped(view, index);
  for (const auto& [d, by] : further) result[d] = result[d] + by;
  return result;
}

// ---- Steps in memory ----------------------------------------------------------------------------

std::optional<unsigned> Facts::dimAlong(unsigned tensor, const Index& index,
                                        const std::string& iterator) const {
  Index at = rootIndex(tensor, index);
  std::optional<unsigned> along;
  for (unsigned d = 0; d < at.size(); ++d) {
    if (!at[d].mentions(iterator)) continue;
    if (along || at[d].stepAlong(iterator) != Expr::constant(1)) return std::nullopt;
    along = d;
  }
  return along;
}

bool Facts::isLinear(unsigned tensor, const Index& index, const std::string& iterator) const {
  for (const Expr& e : index)
    if (!e.stepAlong(iterator)) return false;
  const ir::View* view = viewOf(tensor);
  if (!view) return true;
  Index other = index;
  for (unsigned d = 0; d < index.size(); ++d) {
    const bool isTable = tableOf(tensor, d).has_value();
    if (isTable && index[d].mentions(iterator)) return false;
    if (isTable || isRun(tensor, d)) other[d] = Expr();
  }
  return isLinear(view->base, onward(*view, std::move(other)), iterator);
}

int64_t Facts::elementsIn(unsigned tensor, int64_t bytes) const {
  const ir::TypeInfo& type = ir::info(kernel_->tensors[tensor].type);
  return isPacked(tensor) ? bytes * (int64_t{8} / type.bits) : bytes / type.bytes();
}

std::optional<PartOfWords> Facts::partOfWords(unsigned tensor, const Index& index,
                                              const std::string& iterator) const {
  if (!isPacked(tensor)) return std::nullopt;
  const ir::TypeInfo& type = ir::info(kernel_->tensors[tensor].type);
  const int64_t parts = ir::partsOfWord(type.type);
  auto found = neighboursAlong(tensor, index, iterator);
  if (!found || found->index[found->dim].stepAlong(iterator) != Expr::constant(parts))
    return std::nullopt;
  for (Expr& e : found->index) e = substituted(e, iterator, Expr());
  Expr& first = found->index[found->dim];
  int64_t part = 0;
  for (const affine::Term& term : first.terms())
    if (term.factors.empty()) part = term.coefficient % parts;
  first = first - Expr::constant(part);
  const Expr& size = kernel_->tensors[found->tensor].shape[found->dim];
  const bool areWhole = part >= 0 && factorOf(first) % parts == 0 && factorOf(size) % parts == 0 &&
                        isAligned(found->tensor, found->index, int64_t{8} / type.bits, /*axis=*/"");
  if (!areWhole) return std::nullopt;
  return PartOfWords{found->tensor, std::move(found->index), part};
}

// On the way through the views, the first whose dimension is known to be one of neighbours in memory.
std::optional<Facts::Neighbours> Facts::neighboursAlong(unsigned tensor, const Index& index,
                                                        const std::string& iterator) const {
  Index at = index;
  while (true) {
    std::optional<unsigned> along;
    int64_t moving = 0;
    for (unsigned d = 0; d < at.size(); ++d)
      if (at[d].mentions(iterator)) {
        ++moving;
        along = d;
      }
    if (moving == 1 && at[*along].stepAlong(iterator) && isUnit(tensor, *along))
      return Neighbours{tensor, *along, std::move(at)};
    const ir::View* view = viewOf(tensor);
    if (!view) return std::nullopt;
    at = mapped(*view, at);
    tensor = view->base;
  }
}

// Along the chain of views, each condition speaks of lines of its own tensor; the position along
// the line is what counts then.
bool Facts::isAligned(unsigned tensor, const Index& index, int64_t elements,
                      const std::string& axis) const {
  Index at = index;
  for (;; tensor = viewOf(tensor)->base) {
    for (unsigned d = 0; d < at.size(); ++d) {
      auto line = lines_.find({tensor, d});
      if (line == lines_.end() || line->second % elements != 0) continue;
      bool along = true;
      for (unsigned other = 0; other < at.size(); ++other)
        along &= other == d || axis.empty() || !at[other].mentions(axis);
      if (along && factorOf(substituted(at[d], axis, Expr())) % elements == 0) return true;
    }
    const ir::View* view = viewOf(tensor);
    if (!view) break;
    at = mapped(*view, at);
  }
  const ir::Tensor& root = kernel_->tensors[tensor];
  if (root.role != ir::Role::Local) return false;
  Expr place;
  for (size_t d = 0; d < at.size(); ++d)
    place = place * root.shape[d] + substituted(at[d], axis, Expr());
  return factorOf(place) % elements == 0;
}

}  // namespace einc::facts
