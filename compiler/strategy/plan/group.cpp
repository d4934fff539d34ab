// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/group.h"

#include <algorithm>

namespace einc::strategy {
namespace {

int64_t bytesOf(const ir::Tensor& tensor) {
  int64_t bytes = std::max<int64_t>(ir::info(tensor.type).bytes(), 4);
  for (const affine::Expr& size : tensor.shape) bytes *= size.asConstant().value_or(0);
  return bytes;
}

}  // namespace

std::optional<int64_t> Group::most(const transforms::Builder& builder, const ir::StructuredOp& op,
                                   const std::string& iterator) const {
  const affine::Expr extent = builder.extent(op, iterator);
  if (auto known = extent.asConstant()) return known;
  const auto symbol = extent.asSymbol();
  auto size = symbol ? sizes.find(*symbol) : sizes.end();
  return size == sizes.end() ? std::nullopt : std::optional(size->second);
}

std::optional<Group> groupIn(const ir::Kernel& kernel, const ir::Stmt& stmt,
                             const std::optional<Group>& around) {
  auto* outermost = std::get_if<ir::TileLoop>(&stmt.node);
  if (around || !outermost || !ir::isOnWorkgroups(outermost->on)) return around;
  Group group{{}, std::make_shared<int64_t>(0)};
  auto note = [&](const ir::Stmt& inner) {
    auto* loop = std::get_if<ir::TileLoop>(&inner.node);
    if (auto by = loop ? loop->step.asConstant() : std::nullopt) group.sizes[loop->size] = *by;
    auto* alloc = std::get_if<ir::Alloc>(&inner.node);
    if (alloc && alloc->space == ir::Space::Workgroup)
      *group.sharedBytes += bytesOf(kernel.tensors[alloc->tensor]);
  };
  note(stmt);
  ir::forEachStatement(outermost->body, note);
  return group;
}

}  // namespace einc::strategy
