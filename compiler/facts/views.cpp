// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/views.h"

#include <algorithm>
#include <functional>

namespace einc::facts {

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

// ---- Down to what has memory --------------------------------------------------------------------

const ir::View* Views::viewOf(unsigned tensor) const {
  auto found = views_.find(tensor);
  return found == views_.end() ? nullptr : found->second.get();
}

unsigned Views::rootOf(unsigned tensor) const {
  while (const ir::View* view = viewOf(tensor)) tensor = view->base;
  return tensor;
}

bool Views::isPacked(unsigned tensor) const {
  return ir::isPacked(kernel_->tensors[rootOf(tensor)]);
}

std::optional<unsigned> Views::tableOf(unsigned view, unsigned dim) const {
  auto found = tables_.find({view, dim});
  return found == tables_.end() ? std::nullopt : std::optional(found->second);
}

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

Index Views::mapped(const ir::View& view, const Index& index) const {
  Index result;
  for (const Expr& e : view.map)
    result.push_back(withoutZeros(e.substitute([&](const Atom& a) -> std::optional<Expr> {
      auto dim = std::find(view.dims.begin(), view.dims.end(), a.name);
      if (a.kind != Atom::Kind::Iterator || dim == view.dims.end()) return std::nullopt;
      return index[static_cast<size_t>(dim - view.dims.begin())];
    })));
  return result;
}

Index Views::rootIndex(unsigned tensor, Index index) const {
  while (const ir::View* view = viewOf(tensor)) {
    index = mapped(*view, index);
    tensor = view->base;
  }
  return index;
}

ir::ValueRef Views::padOf(unsigned tensor) const {
  ir::ValueRef pad;
  for (const ir::View* view = viewOf(tensor); view; view = viewOf(view->base))
    if (view->pad) pad = view->pad;
  return pad;
}

std::optional<Views::Place> Views::resolve(unsigned tensor, Index index,
                                           std::vector<Within>* inside) const {
  while (const ir::View* view = viewOf(tensor)) {
    if (view->pad && !inside) return std::nullopt;
    Index inner = mapped(*view, index);
    for (size_t d = 0; d < inner.size() && view->pad; ++d) {
      auto dim = std::find(view->dims.begin(), view->dims.end(), view->map[d].asIterator());
      const Expr& size = kernel_->tensors[view->base].shape[d];
      bool isWhole =
          dim != view->dims.end() &&
          kernel_->tensors[tensor].shape[static_cast<size_t>(dim - view->dims.begin())] == size;
      if (!isWhole) inside->push_back({inner[d], size});
    }
    tensor = view->base;
    index = std::move(inner);
  }
  return Place{tensor, std::move(index)};
}

// ---- Dimensions ---------------------------------------------------------------------------------

std::optional<Views::Moved> Views::movedBy(const ir::View& view, unsigned dim) {
  std::optional<Moved> moved;
  for (unsigned d = 0; d < view.map.size(); ++d) {
    if (!view.map[d].mentions(view.dims[dim])) continue;
    if (moved || view.map[d].stepAlong(view.dims[dim]) != Expr::constant(1)) return std::nullopt;
    moved = {d, view.map[d].substitute([&](const Atom& a) {
               bool isOwn =
                   std::find(view.dims.begin(), view.dims.end(), a.name) != view.dims.end();
               return isOwn ? std::optional(Expr()) : std::nullopt;
             })};
  }
  return moved;
}

std::optional<Views::RootDim> Views::rootDim(unsigned tensor, unsigned dim) const {
  while (const ir::View* view = viewOf(tensor)) {
    auto moved = movedBy(*view, dim);
    if (!moved || tableOf(tensor, dim)) return std::nullopt;
    tensor = view->base;
    dim = moved->dim;
  }
  return std::pair(tensor, dim);
}

bool Views::divides(const ir::View& view, unsigned dim) {
  bool found = false;
  for (const Expr& e : view.map) {
    if (!e.mentions(view.dims[dim])) continue;
    if (e.terms().size() != 1 || e.terms()[0].factors.size() != 1 || e.terms()[0].coefficient != 1)
      return false;
    if (!e.terms()[0].factors[0].div) return false;
    found = true;
  }
  return found;
}

std::vector<Views::Joined> Views::joined(const ir::View& view, unsigned dim) {
  const Expr own = Expr::iterator(view.dims[dim]);
  const auto all = static_cast<size_t>(std::count_if(
      view.map.begin(), view.map.end(), [&](const Expr& e) { return e.mentions(view.dims[dim]); }));
  std::vector<Joined> parts;
  Expr inside = Expr::constant(1);  // positions of those that are found
  for (size_t left = view.map.size(); left-- > 0;) {
    const Expr quotient = own.floorDiv(inside);
    for (unsigned d = 0; d < view.map.size(); ++d) {
      const Expr& e = view.map[d];
      if (e == quotient && !parts.empty()) {
        parts.push_back({d, Expr()});
        return parts.size() == all ? parts : std::vector<Joined>();
      }
      const Atom* atom = e.terms().size() == 1 && e.terms()[0].factors.size() == 1
                             ? &e.terms()[0].factors[0]
                             : nullptr;
      if (!atom || atom->kind != Atom::Kind::Mod || atom->div->dividend != quotient) continue;
      parts.push_back({d, atom->div->divisor});
      inside = inside * atom->div->divisor;
      break;
    }
  }
  return {};
}

std::vector<Expr> Views::seams(const ir::View& view) {
  std::vector<Expr> places = {Expr::constant(1)};
  std::function<void(const Expr&)> collect = [&](const Expr& e) {
    for (const affine::Term& term : e.terms())
      for (const Atom& atom : term.factors) {
        if (!atom.div) continue;
        collect(atom.div->dividend);
        if (std::find(places.begin(), places.end(), atom.div->divisor) == places.end())
          places.push_back(atom.div->divisor);
      }
  };
  for (const Expr& e : view.map) collect(e);
  return places;
}

Views viewsIn(const ir::Kernel& kernel) {
  Views views(kernel);
  ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
    if (auto* view = std::get_if<ir::View>(&stmt.node)) views.enter(*view);
  });
  return views;
}

}  // namespace einc::facts
