// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/tile.h"

#include <algorithm>

namespace einc::transforms {
namespace {

// Operand `i` of the op, restricted to the tile.
ir::Stmt viewOfTile(Builder& builder, ir::Operand& operand, const std::string& iterator,
                    const Tile& tile, bool drop) {
  const ir::Tensor base = builder.kernel().tensors[operand.tensor];
  ir::View view{0, operand.tensor, {}, {}, nullptr};
  std::vector<affine::Expr> shape, map;
  for (size_t d = 0; d < operand.map.size(); ++d) {
    std::string name = *operand.map[d].asIterator();
    bool tiled = name == iterator;
    view.map.push_back(tiled && drop ? at(tile.origin)
                       : tiled       ? at(tile.origin) + at(name)
                                     : at(name));
    if (tiled && drop) continue;
    view.dims.push_back(name);
    shape.push_back(tiled ? size(tile.size) : base.shape[d]);
    map.push_back(at(name));
  }
  view.view =
      builder.tensor(base.name + "_" + tile.origin, base.type, std::move(shape), ir::Role::View);
  operand.tensor = view.view;
  operand.map = std::move(map);
  return {std::move(view)};
}

// The payload's positions, which are those in the whole op.
void shiftIndices(ir::StructuredOp& op, const std::string& iterator, const affine::Expr& position) {
  auto shifted = [&](const affine::Atom& atom) -> std::optional<affine::Expr> {
    if (atom.name == iterator) return position;
    return std::nullopt;
  };
  for (ir::ValueRef& result : op.results)
    result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
      auto* index = std::get_if<ir::IndexRef>(&value->node);
      if (!index) return nullptr;
      return ir::makeValue(value->type, ir::IndexRef{index->index.substitute(shifted)});
    });
}

}  // namespace

ir::Stmt tile(Builder& builder, const ir::StructuredOp& op, const Tiling& tiling,
              const Inside& inside) {
  const std::string& iterator = tiling.iterator;
  auto found = std::find_if(op.iterators.begin(), op.iterators.end(),
                            [&](const ir::Iterator& i) { return i.name == iterator; });
  Tile tile{builder.name(iterator + "0"), "", op};
  tile.size = builder.name(tile.origin + "_size");
  ir::TileLoop loop{tile.origin,  tile.size, builder.extent(op, iterator), tiling.step, found->kind,
                    tiling.grain, {}};
  bool drop = tiling.step == constant(1);
  for (size_t i = 0; i < op.operandCount(); ++i) {
    ir::Operand& operand = tile.op.operand(i);
    std::vector<std::string> used = iteratorsOf(operand);
    if (std::find(used.begin(), used.end(), iterator) == used.end()) continue;
    loop.body.push_back(viewOfTile(builder, operand, iterator, tile, drop));
  }
  shiftIndices(tile.op, iterator, drop ? at(tile.origin) : at(tile.origin) + at(iterator));
  if (drop) std::erase_if(tile.op.iterators, [&](const auto& i) { return i.name == iterator; });
  for (ir::Stmt& stmt : inside(tile)) loop.body.push_back(std::move(stmt));
  return {std::move(loop)};
}

}  // namespace einc::transforms
