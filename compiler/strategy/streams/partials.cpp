// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/partials.h"

#include <utility>

#include "compiler/transforms/combiner.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

using affine::Expr;
using transforms::constant;
using transforms::only;
using transforms::Tile;

ir::Block Partials::run(const ir::StructuredOp& op, int64_t vectors) {
  return outer(op, {}, [&](const ir::StructuredOp& one) {
    const ir::Combiner combiner = *transforms::partsOf(op);
    const int64_t width = widthOf(one, vectors);
    ir::Block block;
    ir::StructuredOp fill;
    fill.iterators = {{axis_, ir::IteratorKind::Parallel}};
    fill.axes = {{axis_, width}};
    for (const ir::Operand& output : one.outputs) {
      const ir::Tensor& tensor = builder_.kernel().tensors[output.tensor];
      unsigned lanes = builder_.tensor("lanes", tensor.type, {constant(width)}, ir::Role::Local);
      block.push_back({ir::Alloc{lanes, ir::Space::Stack}});
      fill.outputs.push_back({lanes, {transforms::at(axis_)}, nullptr});
    }
    fill.results = combiner.neutral;
    const std::vector<ir::Operand> lanes = fill.outputs;
    block.push_back({std::move(fill)});
    transforms::append(block, inLanes(one, lanes, width));
    for (int64_t half = width / 2; half > 0; half /= 2)
      block.push_back({merged(combiner, lanes, half, lanes, block)});
    block.push_back({merged(combiner, lanes, 0, one.outputs, block)});
    return block;
  });
}

// All terms, added to those of their lane.
ir::Block Partials::inLanes(const ir::StructuredOp& op, const std::vector<ir::Operand>& lanes,
                            int64_t width) {
  for (const ir::Iterator& i : op.iterators)
    if (i.name != axis_)
      return only(transforms::tile(builder_, op, {i.name, constant(1)}, [&](const Tile& tile) {
        return inLanes(tile.op, lanes, width);
      }));
  Expr count = builder_.extent(op, axis_).floorDiv(constant(width)), done = count * constant(width);
  const std::string block = builder_.name(axis_ + "_block");
  ir::Block result;
  auto part = [&](const std::vector<transforms::Dimension>& dims, const Expr& first,
                  const std::string& suffix) {
    ir::StructuredOp some =
        transforms::onPositions(builder_, op, axis_, dims, first, suffix, result);
    some.outputs = lanes;
    some.combiner = nullptr;
    for (ir::Iterator& i : some.iterators)
      if (i.name == axis_) i.kind = ir::IteratorKind::Parallel;
    return some;
  };
  if (!count.isZero()) {
    ir::StructuredOp whole =
        part({{block, count, constant(width)}, {axis_, constant(width), constant(1)}}, constant(0),
             "_blocks");
    whole.axes = {{axis_, width}};
    whole.ahead = ahead(op);
    result.push_back({std::move(whole)});
  }
  Expr left = builder_.extent(op, axis_) - done;
  if (left.isZero()) return result;
  ir::StructuredOp rest = part({{axis_, left, constant(1)}}, done, "_rest");
  for (ir::Operand& output : rest.outputs) output = firstOf(output, left, result);
  if (target_.hasMasks) {
    rest.axes = {{axis_, width}};
    keepBehind(rest, left);
  }
  result.push_back({std::move(rest)});
  return result;
}

// Lanes of the outputs from `end` on stay what they are: their memory is whole, so that they are
// written, too.
void Partials::keepBehind(ir::StructuredOp& op, const Expr& end) const {
  auto position = [](const Expr& e) { return ir::makeValue(ir::ScalarType::I64, ir::IndexRef{e}); };
  ir::ValueRef inside =
      ir::makeCall(ir::Function::Lt, {position(transforms::at(axis_)), position(end)});
  for (size_t i = 0; i < op.results.size(); ++i) {
    auto number = static_cast<unsigned>(op.inputs.size() + i);
    ir::ValueRef before = ir::makeValue(op.results[i]->type, ir::OperandRef{number});
    op.results[i] = ir::makeCall(ir::Function::Select, {inside, op.results[i], before});
  }
}

// A view of the first lanes.
ir::Operand Partials::firstOf(const ir::Operand& lanes, const Expr& count, ir::Block& block) {
  const ir::ScalarType type = builder_.kernel().tensors[lanes.tensor].type;
  unsigned view = builder_.tensor("lanes_part", type, {count}, ir::Role::View);
  block.push_back({ir::View{view, lanes.tensor, {axis_}, {transforms::at(axis_)}, nullptr}});
  return {view, {transforms::at(axis_)}, nullptr};
}

// The lanes from `half` on combined with those before them; where that is 0, lane 0 with `to`.
ir::StructuredOp Partials::merged(const ir::Combiner& combiner,
                                  const std::vector<ir::Operand>& lanes, int64_t half,
                                  const std::vector<ir::Operand>& to, ir::Block& block) {
  ir::StructuredOp merge;
  merge.outputs = to;
  for (size_t i = 0; i < lanes.size(); ++i) {
    const ir::ScalarType type = builder_.kernel().tensors[lanes[i].tensor].type;
    const std::vector<Expr> shape(half > 0 ? 1 : 0, constant(half));
    unsigned view = builder_.tensor("lanes_other", type, shape, ir::Role::View);
    std::vector<std::string> dims(half > 0 ? 1 : 0, axis_);
    Expr place = half > 0 ? transforms::at(axis_) + constant(half) : Expr();
    block.push_back({ir::View{view, lanes[i].tensor, dims, {place}, nullptr}});
    merge.inputs.push_back({view, {}, nullptr});
    if (half == 0) continue;
    merge.inputs[i].map = {transforms::at(axis_)};
    merge.outputs[i] = firstOf(lanes[i], constant(half), block);
  }
  if (half > 0) merge.iterators = {{axis_, ir::IteratorKind::Parallel}};
  if (half > 1) merge.axes = {{axis_, half}};
  auto operand = [&](size_t first) {
    return [&lanes, first, this](size_t i) {
      const ir::ScalarType type = builder_.kernel().tensors[lanes[i].tensor].type;
      return ir::makeValue(type, ir::OperandRef{static_cast<unsigned>(first + i)});
    };
  };
  merge.results = transforms::combined(combiner, operand(lanes.size()), operand(0));
  return merge;
}

}  // namespace einc::strategy
