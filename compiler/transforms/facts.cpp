// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/facts.h"

#include <algorithm>

namespace einc::transforms {

bool Facts::equals(const affine::Expr& number, int64_t size) const {
  if (number.asConstant() == size) return true;
  affine::Expr wanted = affine::Expr::constant(size);
  return std::any_of(known_.begin(), known_.end(), [&](const ir::Condition& c) {
    return c.kind == ir::Condition::Kind::Equal &&
           ((c.left == number && c.right == wanted) || (c.right == number && c.left == wanted));
  });
}

bool Facts::isUnit(unsigned tensor, unsigned dim) const {
  bool known = std::any_of(known_.begin(), known_.end(), [&](const ir::Condition& c) {
    return c.kind == ir::Condition::Kind::Unit && c.tensor == tensor && c.dim == dim;
  });
  if (known) return true;
  const ir::Tensor& t = kernel_.tensors[tensor];
  if (t.role == ir::Role::Local) return dim + 1 == t.shape.size();
  auto found = views_.find(tensor);
  if (found == views_.end()) return false;
  // One dimension of the base moves with this one, by one.
  const ir::View& view = found->second;
  std::optional<unsigned> moved;
  for (unsigned d = 0; d < view.map.size(); ++d) {
    auto names = view.map[d].iterators();
    if (std::find(names.begin(), names.end(), view.dims[dim]) == names.end()) continue;
    if (moved || view.map[d].stepAlong(view.dims[dim]) != affine::Expr::constant(1)) return false;
    moved = d;
  }
  return moved && isUnit(view.base, *moved);
}

unsigned Facts::rootOf(unsigned tensor) const {
  for (auto view = views_.find(tensor); view != views_.end(); view = views_.find(tensor))
    tensor = view->second.base;
  return tensor;
}

ir::ValueRef Facts::padOf(unsigned tensor) const {
  for (auto found = views_.find(tensor); found != views_.end();
       found = views_.find(found->second.base))
    if (found->second.pad) return found->second.pad;
  return nullptr;
}

std::optional<Facts::Place> Facts::resolve(unsigned tensor, std::vector<affine::Expr> index,
                                           std::vector<Within>* inside) const {
  for (auto found = views_.find(tensor); found != views_.end(); found = views_.find(tensor)) {
    const ir::View& view = found->second;
    if (view.pad && !inside) return std::nullopt;
    std::vector<affine::Expr> inner;
    for (const affine::Expr& e : view.map)
      inner.push_back(e.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
        auto dim = std::find(view.dims.begin(), view.dims.end(), atom.name);
        if (atom.kind != affine::Atom::Kind::Iterator || dim == view.dims.end())
          return std::nullopt;
        return index[static_cast<size_t>(dim - view.dims.begin())];
      }));
    for (size_t d = 0; d < inner.size() && view.pad; ++d) {
      auto dim = std::find(view.dims.begin(), view.dims.end(), view.map[d].asIterator());
      const affine::Expr& size = kernel_.tensors[view.base].shape[d];
      bool isWhole =
          dim != view.dims.end() &&
          kernel_.tensors[tensor].shape[static_cast<size_t>(dim - view.dims.begin())] == size;
      if (!isWhole) inside->push_back({inner[d], size});
    }
    tensor = view.base;
    index = std::move(inner);
  }
  return Place{tensor, std::move(index)};
}

}  // namespace einc::transforms
