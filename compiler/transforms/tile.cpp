// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/tile.h"

#include <algorithm>

namespace einc::transforms {
namespace {

bool uses(const ir::Operand& operand, const std::string& iterator) {
  std::vector<std::string> used = iteratorsOf(operand);
  return std::find(used.begin(), used.end(), iterator) != used.end();
}

// Positions of an iterator: one, which has no dimension of its own, or `count`.
struct Range {
  affine::Expr from, count;
  bool one;
};

// The operand restricted to the range.
ir::Stmt viewOfRange(Builder& builder, ir::Operand& operand, const std::string& iterator,
                     const Range& range, const std::string& suffix) {
  const ir::Tensor base = builder.kernel().tensors[operand.tensor];
  ir::View view{0, operand.tensor, {}, {}, nullptr};
  std::vector<affine::Expr> shape, map;
  for (size_t d = 0; d < operand.map.size(); ++d) {
    std::string name = *operand.map[d].asIterator();
    bool cut = name == iterator;
    view.map.push_back(cut && range.one ? range.from : cut ? range.from + at(name) : at(name));
    if (cut && range.one) continue;
    view.dims.push_back(name);
    shape.push_back(cut ? range.count : base.shape[d]);
    map.push_back(at(name));
  }
  view.view = builder.tensor(base.name + "_" + suffix, base.type, std::move(shape), ir::Role::View);
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
  auto step = tiling.step.asConstant(), extent = loop.extent.asConstant();
  bool whole = step && extent && *extent % *step == 0;
  Range range{at(tile.origin), whole ? tiling.step : size(tile.size), drop};
  for (size_t i = 0; i < op.operandCount(); ++i)
    if (uses(op.operand(i), iterator))
      loop.body.push_back(viewOfRange(builder, tile.op.operand(i), iterator, range, tile.origin));
  shiftIndices(tile.op, iterator, drop ? at(tile.origin) : at(tile.origin) + at(iterator));
  if (drop) std::erase_if(tile.op.iterators, [&](const auto& i) { return i.name == iterator; });
  for (ir::Stmt& stmt : inside(tile)) loop.body.push_back(std::move(stmt));
  return {std::move(loop)};
}

ir::StructuredOp part(Builder& builder, const ir::StructuredOp& op, const std::string& iterator,
                      int64_t from, int64_t count, ir::Block& block) {
  ir::StructuredOp result = op;
  Range range{constant(from), constant(count), false};
  for (size_t i = 0; i < op.operandCount(); ++i)
    if (uses(op.operand(i), iterator))
      block.push_back(viewOfRange(builder, result.operand(i), iterator, range,
                                  iterator + std::to_string(from)));
  shiftIndices(result, iterator, constant(from) + at(iterator));
  return result;
}

}  // namespace einc::transforms
