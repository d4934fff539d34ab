// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/glsl/facts.h"

#include <algorithm>
#include <numeric>

namespace einc::emit {

using affine::Atom;
using affine::Expr;

Expr substituted(const Expr& e, const std::string& iterator, const Expr& by) {
  return e.substitute([&](const Atom& a) -> std::optional<Expr> {
    if (a.kind != Atom::Kind::Iterator || a.name != iterator) return std::nullopt;
    return by;
  });
}

Index substituted(const Index& index, const std::string& iterator, const Expr& by) {
  Index result;
  for (const Expr& e : index) result.push_back(substituted(e, iterator, by));
  return result;
}

bool mentions(const Expr& e, const std::string& iterator) {
  auto names = e.iterators();
  return std::find(names.begin(), names.end(), iterator) != names.end();
}

// ---- Statements ---------------------------------------------------------------------------------

void DeviceFacts::enter(const ir::Bound& bound) {
  bounds_[bound.name] = bound.of;
  signs_.enter(bound);
}

void DeviceFacts::enter(const ir::For& loop) {
  extents_[loop.var] = loop.extent;
  tiles_.erase(loop.var);
}

void DeviceFacts::enter(const ir::TileLoop& loop) {
  auto step = valueOf(loop.step), extent = valueOf(loop.extent);
  extents_.erase(loop.var);
  if (step == 1) extents_[loop.var] = loop.extent;
  tiles_[loop.var] = {loop.extent, loop.size, step};
  sizes_.erase(loop.size);
  bool isWhole = step == 1 || (step && extent && *step > 0 && *extent % *step == 0);
  if (isWhole) sizes_[loop.size] = *step;
}

void DeviceFacts::enter(const ir::Axis& axis) {
  extents_[axis.name] = Expr::constant(axis.size);
  tiles_.erase(axis.name);
}

void DeviceFacts::assume(const ir::Condition& c) {
  if (c.kind == ir::Condition::Kind::Equal && c.left.asSymbol() && c.right.asConstant())
    sizes_[*c.left.asSymbol()] = *c.right.asConstant();
  if (c.kind == ir::Condition::Kind::Unit) {
    assumeRun(c.tensor, c.dim);
    if (auto root = rootDim(c.tensor, c.dim)) units_.insert(*root);
  }
  if (c.kind == ir::Condition::Kind::Aligned) {
    auto bytes = static_cast<int64_t>(ir::info(kernel_->tensors[c.tensor].type).bytes());
    int64_t& known = lines_[{c.tensor, c.dim}];
    known = std::max(known, c.left.asConstant().value_or(0) / bytes);
  }
}

// The dimension is unit: so is that of the base that moves with it.
void DeviceFacts::assumeRun(unsigned tensor, unsigned dim) {
  const ir::View* view = viewOf(tensor);
  if (!view) return;
  if (divides(*view, dim)) runs_.insert({tensor, dim});
  for (unsigned d = 0; d < view->map.size(); ++d)
    if (view->map[d].asIterator() == view->dims[dim]) assumeRun(view->base, d);
}

// ---- Views --------------------------------------------------------------------------------------

const ir::View* DeviceFacts::viewOf(unsigned tensor) const {
  auto found = views_.find(tensor);
  return kernel_->tensors[tensor].role == ir::Role::View ? found->second : nullptr;
}

unsigned DeviceFacts::rootOf(unsigned tensor) const {
  while (const ir::View* view = viewOf(tensor)) tensor = view->base;
  return tensor;
}

// Without quotients and remainders of 0: where a size is 0, no element is asked for.
static Expr withoutZeros(const Expr& e) {
  Expr result = e;
  for (const affine::Term& term : e.terms())
    for (const Atom& atom : term.factors) {
      if (!atom.div || !atom.div->dividend.isZero()) continue;
      Expr quotient = atom.kind == Atom::Kind::FloorDiv
                          ? atom.div->dividend.floorDiv(atom.div->divisor)
                          : atom.div->dividend.mod(atom.div->divisor);
      if (term.factors.size() == 1) result = result - Expr::constant(term.coefficient) * quotient;
    }
  return result;
}

Index DeviceFacts::mapped(const ir::View& view, const Index& index) const {
  Index result;
  for (const Expr& e : view.map)
    result.push_back(withoutZeros(e.substitute([&](const Atom& a) -> std::optional<Expr> {
      auto dim = std::find(view.dims.begin(), view.dims.end(), a.name);
      if (a.kind != Atom::Kind::Iterator || dim == view.dims.end()) return std::nullopt;
      return index[static_cast<size_t>(dim - view.dims.begin())];
    })));
  return result;
}

Index DeviceFacts::rootIndex(unsigned tensor, Index index) const {
  while (const ir::View* view = viewOf(tensor)) {
    index = mapped(*view, index);
    tensor = view->base;
  }
  return index;
}

std::optional<std::pair<unsigned, unsigned>> DeviceFacts::rootDim(unsigned tensor,
                                                                  unsigned dim) const {
  while (const ir::View* view = viewOf(tensor)) {
    std::optional<unsigned> moved;
    for (unsigned d = 0; d < view->map.size(); ++d) {
      if (!mentions(view->map[d], view->dims[dim])) continue;
      Expr rest = view->map[d] - Expr::iterator(view->dims[dim]);
      if (moved || mentions(rest, view->dims[dim])) return std::nullopt;
      moved = d;
    }
    if (!moved) return std::nullopt;
    tensor = view->base;
    dim = *moved;
  }
  return std::pair(tensor, dim);
}

bool DeviceFacts::divides(const ir::View& view, unsigned dim) {
  bool found = false;
  for (const Expr& e : view.map) {
    if (!mentions(e, view.dims[dim])) continue;
    if (e.terms().size() != 1 || e.terms()[0].factors.size() != 1 || e.terms()[0].coefficient != 1)
      return false;
    if (!e.terms()[0].factors[0].div) return false;
    found = true;
  }
  return found;
}

// Along the chain of views, each condition speaks of lines of its own tensor; the position along
// the line is what counts then.
bool DeviceFacts::isAligned(unsigned tensor, const Index& index, int64_t elements,
                            const std::string& axis) const {
  Index at = index;
  for (;; tensor = viewOf(tensor)->base) {
    for (unsigned d = 0; d < at.size(); ++d) {
      auto line = lines_.find({tensor, d});
      if (line == lines_.end() || line->second % elements != 0) continue;
      bool along = true;
      for (unsigned other = 0; other < at.size(); ++other)
        along &= other == d || axis.empty() || !mentions(at[other], axis);
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

// ---- Positions ----------------------------------------------------------------------------------

std::optional<int64_t> DeviceFacts::valueOf(const Expr& size) const {
  if (auto number = size.asConstant()) return number;
  if (auto symbol = size.asSymbol())
    if (auto known = sizes_.find(*symbol); known != sizes_.end()) return known->second;
  return std::nullopt;
}

// The largest value of something that is not negative, where it is a constant.
std::optional<int64_t> DeviceFacts::mostOf(const Atom& atom) const {
  switch (atom.kind) {
    case Atom::Kind::Symbol:
      if (auto bound = bounds_.find(atom.name); bound != bounds_.end()) {
        std::optional<int64_t> least;
        for (const Expr& e : bound->second)
          if (auto most = mostOf(e)) least = std::min(least.value_or(*most), *most);
        return least;
      }
      return valueOf(Expr::symbol(atom.name));
    case Atom::Kind::Iterator: {
      if (auto tile = tiles_.find(atom.name); tile != tiles_.end()) {
        auto extent = valueOf(tile->second.extent), step = tile->second.step;
        if (!extent || !step || *step < 1 || *extent < 1) return std::nullopt;
        return (*extent - 1) / *step * *step;
      }
      auto extent = extents_.find(atom.name);
      if (extent == extents_.end()) return std::nullopt;
      auto value = valueOf(extent->second);
      return value && *value > 0 ? std::optional(*value - 1) : std::nullopt;
    }
    default:
      break;
  }
  auto divisor = valueOf(atom.div->divisor), dividend = mostOf(atom.div->dividend);
  if (!divisor || *divisor < 1) return std::nullopt;
  if (atom.kind == Atom::Kind::Mod)
    return dividend ? std::min(*dividend, *divisor - 1) : *divisor - 1;
  return dividend ? std::optional(*dividend / *divisor) : std::nullopt;
}

std::optional<int64_t> DeviceFacts::mostOf(const Expr& e) const {
  constexpr int64_t kLimit = int64_t{1} << 31;
  if (!isNonNegative(e)) return std::nullopt;
  int64_t sum = 0;
  for (const affine::Term& term : e.terms()) {
    int64_t product = term.coefficient;
    for (const Atom& atom : term.factors) {
      auto most = mostOf(atom);
      if (!most || *most > kLimit || product > kLimit) return std::nullopt;
      product *= *most;
    }
    if (product > kLimit || sum > kLimit) return std::nullopt;
    sum += product;
  }
  return sum;
}

// Known without a test: below a constant; a loop that runs to the size; a position in a tile of
// which all positions exist.
bool DeviceFacts::isBelow(const Expr& index, const Expr& size) const {
  auto limit = valueOf(size);
  if (auto most = mostOf(index); most && limit && *most < *limit) return true;
  if (auto var = index.asIterator(); var && extents_.count(*var))
    if (extents_.at(*var) == size) return true;
  for (const std::string& name : index.iterators()) {
    auto tile = tiles_.find(name);
    if (tile == tiles_.end() || !(tile->second.extent == size)) continue;
    Expr rest = index - Expr::iterator(name);
    if (rest.isZero()) return true;
    if (mentions(rest, name)) continue;
    auto most = mostOf(rest), known = valueOf(Expr::symbol(tile->second.size));
    if (most && known && *most < *known) return true;
    // A loop inside that runs to the tile's size.
    if (auto var = rest.asIterator(); var && extents_.count(*var))
      if (extents_.at(*var) == Expr::symbol(tile->second.size)) return true;
  }
  return false;
}

int64_t DeviceFacts::factorOf(const Atom& atom) const {
  if (atom.kind == Atom::Kind::Iterator) {
    auto tile = tiles_.find(atom.name);
    return tile == tiles_.end() ? 1 : std::gcd(tile->second.step.value_or(1), 64);
  }
  if (atom.kind == Atom::Kind::Symbol) {
    auto bound = bounds_.find(atom.name);
    if (bound != bounds_.end() && bound->second.size() == 1) return factorOf(bound->second[0]);
    auto known = sizes_.find(atom.name);
    return known == sizes_.end() ? 1 : std::gcd(known->second, 64);
  }
  int64_t dividend = factorOf(atom.div->dividend);
  if (atom.kind == Atom::Kind::Mod) return std::gcd(dividend, factorOf(atom.div->divisor));
  auto divisor = atom.div->divisor.asConstant();
  return divisor && *divisor > 0 && dividend % *divisor == 0 ? dividend / *divisor : 1;
}

int64_t DeviceFacts::factorOf(const Expr& e) const {
  int64_t all = 64;
  for (const affine::Term& term : e.terms()) {
    int64_t factor = std::gcd(term.coefficient, 64);
    for (const Atom& atom : term.factors) factor = std::gcd(factor * factorOf(atom), 64);
    all = std::gcd(all, factor);
  }
  return all;
}

}  // namespace einc::emit
