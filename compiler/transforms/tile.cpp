// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/tile.h"

#include <algorithm>

namespace einc::transforms {
namespace {

bool uses(const ir::Operand& operand, const std::string& iterator) {
  std::vector<std::string> used = iteratorsOf(operand);
  return std::find(used.begin(), used.end(), iterator) != used.end();
}

}  // namespace

void movePositions(ir::StructuredOp& op, const std::string& iterator,
                   const affine::Expr& position) {
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

ir::StructuredOp onPositions(Builder& builder, const ir::StructuredOp& op,
                             const std::string& iterator, const std::vector<Dimension>& dims,
                             const affine::Expr& first, const std::string& suffix,
                             ir::Block& block) {
  affine::Expr position = first;
  for (const Dimension& dim : dims) position = position + at(dim.name) * dim.step;
  ir::StructuredOp result = op;
  for (size_t i = 0; i < op.operandCount(); ++i) {
    ir::Operand& operand = result.operand(i);
    if (!uses(operand, iterator)) continue;
    const ir::Tensor base = builder.kernel().tensors[operand.tensor];
    ir::View view{0, operand.tensor, {}, {}, nullptr};
    std::vector<affine::Expr> shape, map;
    for (size_t d = 0; d < operand.map.size(); ++d) {
      std::string name = *operand.map[d].asIterator();
      view.map.push_back(name == iterator ? position : at(name));
      std::vector<Dimension> same = {{name, base.shape[d], constant(1)}};
      for (const Dimension& dim : name == iterator ? dims : same) {
        view.dims.push_back(dim.name);
        shape.push_back(dim.extent);
        map.push_back(at(dim.name));
      }
    }
    view.view = builder.tensor(base.name + suffix, base.type, std::move(shape), ir::Role::View);
    operand.tensor = view.view;
    operand.map = std::move(map);
    block.push_back({std::move(view)});
  }
  movePositions(result, iterator, position);
  auto place = std::find_if(result.iterators.begin(), result.iterators.end(),
                            [&](const ir::Iterator& i) { return i.name == iterator; });
  ir::IteratorKind kind = place->kind;
  place = result.iterators.erase(place);
  for (const Dimension& dim : dims) place = result.iterators.insert(place, {dim.name, kind}) + 1;
  return result;
}

ir::Block wholeAndRest(Builder& builder, const ir::StructuredOp& op, const std::string& iterator,
                       int64_t step, const OnSome& whole, const OnSome& rest) {
  int64_t extent = *builder.extent(op, iterator).asConstant(), steps = extent / step * step;
  ir::Block block;
  auto on = [&](int64_t from, int64_t count, const OnSome& code) {
    bool isAll = count == extent;
    append(
        block,
        code(isAll ? op
                   : onPositions(builder, op, iterator, {{iterator, constant(count), constant(1)}},
                                 constant(from), "_" + iterator + std::to_string(from), block),
             count));
  };
  if (steps > 0) on(0, steps, whole);
  if (steps < extent) on(steps, extent - steps, rest);
  return block;
}

ir::Block strided(Builder& builder, const ir::StructuredOp& op, const std::string& iterator,
                  int64_t together, const std::string& line, const OnGroups& groups,
                  const std::function<ir::Block(const ir::StructuredOp&)>& rest) {
  affine::Expr extent = builder.extent(op, iterator), each = constant(together);
  affine::Expr count = extent.floorDiv(each), done = count * each;
  std::string at = builder.name(iterator);
  ir::Block block;
  if (count.asConstant() != 0) {
    ir::StructuredOp lines =
        onPositions(builder, op, iterator, {{at, count, constant(1)}, {line, each, count}},
                    constant(0), "_lines", block);
    append(block, groups(lines, at));
  }
  if (extent != done) {
    ir::StructuredOp left = onPositions(
        builder, op, iterator, {{iterator, extent - done, constant(1)}}, done, "_left", block);
    block.push_back(
        {ir::If{{{ir::Condition::Kind::Less, constant(0), extent - done}}, rest(left), {}}});
  }
  return block;
}

ir::TileLoop tileLoop(Builder& builder, const std::string& wanted, const affine::Expr& extent,
                      const affine::Expr& step, ir::IteratorKind kind) {
  std::string var = builder.name(wanted);
  return {var, builder.name(var + "_size"), extent, step, kind, std::nullopt, {}};
}

void keepDimensionNames(Builder& builder) {
  constexpr size_t kMost = 16;
  for (size_t d = 0; d < kMost; ++d) builder.names().take("d" + std::to_string(d));
}

ir::Stmt tile(Builder& builder, const ir::StructuredOp& op, const Tiling& tiling,
              const Inside& inside) {
  const std::string& iterator = tiling.iterator;
  auto found = std::find_if(op.iterators.begin(), op.iterators.end(),
                            [&](const ir::Iterator& i) { return i.name == iterator; });
  ir::TileLoop loop =
      tileLoop(builder, iterator + "0", builder.extent(op, iterator), tiling.step, found->kind);
  loop.grain = tiling.grain;
  Tile tile{loop.var, loop.size, {}};
  auto step = tiling.step.asConstant(), extent = loop.extent.asConstant();
  bool whole = step && extent && *extent % *step == 0;
  std::vector<Dimension> dims;
  if (step != 1) dims.push_back({iterator, whole ? tiling.step : size(tile.size), constant(1)});
  tile.op = onPositions(builder, op, iterator, dims, at(tile.origin), "_" + tile.origin, loop.body);
  append(loop.body, inside(tile));
  return {std::move(loop)};
}

}  // namespace einc::transforms
