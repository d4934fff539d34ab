// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/group.h"

#include <algorithm>
#include <set>

namespace einc::strategy {
namespace {

using affine::Expr;

int64_t bytesOf(const ir::Tensor& tensor) {
  int64_t bytes = std::max<int64_t>(ir::info(tensor.type).bytes(), 4);
  for (const Expr& size : tensor.shape) bytes *= size.asConstant().value_or(0);
  return bytes;
}

// What statements say of sizes, one after the other.
class Reader {
 public:
  Reader(const ir::Kernel& kernel, Group& group) : kernel_(kernel), group_(group) {}

  void take(const ir::Stmt& stmt) {
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) {
      if (auto by = loop->step.asConstant()) group_.limit(Expr::symbol(loop->size), *by);
    } else if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) {
      for (const Expr& of : bound->of)
        if (auto most = group_.most(of)) group_.limit(Expr::symbol(bound->name), *most);
    } else if (auto* view = std::get_if<ir::View>(&stmt.node)) {
      look(*view);
    } else if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node)) {
      if (alloc->space != ir::Space::Workgroup) return;
      memory_.insert(alloc->tensor);
      *group_.sharedBytes += bytesOf(kernel_.tensors[alloc->tensor]);
    }
  }

 private:
  // As much of a workgroup's memory has no more positions than that.
  void look(const ir::View& view) {
    if (memory_.count(view.base) == 0) return;
    const std::vector<Expr>&shape = kernel_.tensors[view.view].shape,
          &all = kernel_.tensors[view.base].shape;
    for (size_t d = 0; d < view.dims.size(); ++d)
      for (size_t b = 0; b < all.size(); ++b)
        if (auto most = all[b].asConstant();
            most && view.map[b].stepAlong(view.dims[d]) == Expr::constant(1))
          group_.limit(shape[d], *most);
  }

  const ir::Kernel& kernel_;
  Group& group_;
  std::set<unsigned> memory_;
};

}  // namespace

void Group::limit(const Expr& size, int64_t most) {
  for (auto& [known, limit] : sizes)
    if (known == size) {
      limit = std::min(limit, most);
      return;
    }
  sizes.emplace_back(size, most);
}

std::optional<int64_t> Group::most(const Expr& size) const {
  if (auto known = size.asConstant()) return known;
  auto limitOf = [&](const Expr& e) -> std::optional<int64_t> {
    for (const auto& [known, limit] : sizes)
      if (known == e) return limit;
    return std::nullopt;
  };
  if (auto own = limitOf(size)) return own;
  // Of what grows with others.
  int64_t all = 0;
  for (const affine::Term& term : size.terms()) {
    std::optional<int64_t> each = 1;
    if (!term.factors.empty()) {
      each = term.factors.size() == 1 ? limitOf(Expr::term({1, term.factors})) : std::nullopt;
      if (term.coefficient < 0) each.reset();
    }
    if (!each || *each > INT32_MAX || term.coefficient > INT32_MAX) return std::nullopt;
    all += term.coefficient * *each;
  }
  return all;
}

std::optional<int64_t> Group::most(const transforms::Builder& builder, const ir::StructuredOp& op,
                                   const std::string& iterator) const {
  return most(builder.extent(op, iterator));
}

std::optional<Group> groupIn(const ir::Kernel& kernel, const ir::Stmt& stmt,
                             const std::optional<Group>& around) {
  auto* outermost = std::get_if<ir::TileLoop>(&stmt.node);
  if (around || !outermost || !ir::isOnWorkgroups(outermost->on)) return around;
  Group group{{}, std::make_shared<int64_t>(0)};
  Reader reader(kernel, group);
  reader.take(stmt);
  ir::forEachStatement(outermost->body, [&](const ir::Stmt& inner) { reader.take(inner); });
  return group;
}

}  // namespace einc::strategy
