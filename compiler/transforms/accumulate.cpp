// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/accumulate.h"

#include <utility>

#include "compiler/transforms/combiner.h"
#include "compiler/transforms/count_positions.h"
#include "compiler/transforms/tile.h"

namespace einc::transforms {
namespace {

using affine::Expr;

class Accumulator {
 public:
  Accumulator(Builder& builder, const LanesOfSum& lanes) : builder_(builder), lanes_(lanes) {}

  ir::Block run(const ir::StructuredOp& op) {
    const ir::Combiner combiner = *partsOf(op);
    ir::Block block;
    ir::StructuredOp fill;
    fill.iterators = {{lanes_.axis, ir::IteratorKind::Parallel}};
    fill.axes = axes(lanes_.width);
    for (const ir::Operand& output : op.outputs) {
      const ir::Tensor& tensor = builder_.kernel().tensors[output.tensor];
      unsigned lanes =
          builder_.tensor("lanes", tensor.type, {constant(lanes_.width)}, ir::Role::Local);
      block.push_back({ir::Alloc{lanes, ir::Space::Stack}});
      fill.outputs.push_back({lanes, {at(lanes_.axis)}, nullptr});
    }
    fill.results = combiner.neutral;
    const std::vector<ir::Operand> lanes = fill.outputs;
    block.push_back({std::move(fill)});
    for (size_t output : counted(op)) {
      const unsigned rounds =
          builder_.tensor("rounds", ir::ScalarType::I32, {constant(lanes_.width)}, ir::Role::Local);
      block.push_back({ir::Alloc{rounds, ir::Space::Stack}});
      counters_.emplace_back(output, ir::Operand{rounds, {at(lanes_.axis)}, nullptr});
    }
    append(block, inLanes(op, lanes));
    for (int64_t half = lanes_.width / 2; half > 0; half /= 2)
      block.push_back({merged(combiner, lanes, half, lanes, block)});
    block.push_back({merged(combiner, lanes, 0, op.outputs, block)});
    return block;
  }

 private:
  std::vector<ir::Axis> axes(int64_t width) const {
    if (!lanes_.vectors) return {};
    return {{lanes_.axis, width}};
  }
  // Outputs that are positions, which fill as many lanes as there are in less room. Loops have no lanes.
  std::vector<size_t> counted(const ir::StructuredOp& op) {
    if (!lanes_.vectors) return {};
    return risingPositions(builder_, op, lanes_.axis);
  }

  // All terms, added to those of their lane.
  ir::Block inLanes(const ir::StructuredOp& op, const std::vector<ir::Operand>& lanes) {
    for (const ir::Iterator& i : op.iterators)
      if (i.name != lanes_.axis)
        return only(tile(builder_, op, {i.name, constant(1)},
                         [&](const Tile& tile) { return inLanes(tile.op, lanes); }));
    const Expr width = constant(lanes_.width);
    Expr count = builder_.extent(op, lanes_.axis).floorDiv(width), done = count * width;
    const std::string block = builder_.name(lanes_.axis + "_block");
    ir::Block result;
    auto part = [&](const std::vector<Dimension>& dims, const Expr& first,
                    const std::string& suffix) {
      ir::StructuredOp some = onPositions(builder_, op, lanes_.axis, dims, first, suffix, result);
      some.outputs = lanes;
      some.combiner = nullptr;
      for (ir::Iterator& i : some.iterators)
        if (i.name == lanes_.axis) i.kind = ir::IteratorKind::Parallel;
      return some;
    };
    if (!count.isZero()) {
      ir::StructuredOp whole =
          part({{block, count, width}, {lanes_.axis, width, constant(1)}}, constant(0), "_blocks");
      whole.axes = axes(lanes_.width);
      if (lanes_.ahead)
        whole.ahead = ir::Ahead{lanes_.axis, lanes_.ahead->distance, lanes_.ahead->far};
      append(result, inBlocks(whole, block));
    }
    Expr left = builder_.extent(op, lanes_.axis) - done;
    if (left.isZero()) return result;
    ir::StructuredOp rest = part({{lanes_.axis, left, constant(1)}}, done, "_rest");
    for (ir::Operand& output : rest.outputs) output = firstOf(output, left, result);
    if (lanes_.masks) {
      rest.axes = axes(lanes_.width);
      keepBehind(rest, left);
    }
    result.push_back({std::move(rest)});
    return result;
  }

  // Positions are counted, as many at a time as have 32 bits.
  ir::Block inBlocks(const ir::StructuredOp& whole, const std::string& block) {
    if (!lanes_.vectors)  // as the innermost loop is to be along the lanes
      return only(tile(builder_, whole, {block, constant(1)},
                       [&](const Tile& tile) { return only({tile.op}); }));
    if (counters_.empty()) return only({whole});
    return only(tile(builder_, whole, {block, constant(lanes_.mostCounted)}, [&](const Tile& tile) {
      ir::StructuredOp op = tile.op;
      ir::Block before, behind;
      for (const auto& [output, counters] : counters_) {
        Counting counting = countPositions(op, block, output, counters);
        before.push_back({std::move(counting.before)});
        behind.push_back({std::move(counting.behind)});
        op = std::move(counting.op);
      }
      before.push_back({std::move(op)});
      append(before, std::move(behind));
      return before;
    }));
  }

  // Lanes of the outputs from `end` on stay what they are: their memory is whole, so that they are
  // written, too.
  void keepBehind(ir::StructuredOp& op, const Expr& end) const {
    auto position = [](const Expr& e) {
      return ir::makeValue(ir::ScalarType::I64, ir::IndexRef{e});
    };
    ir::ValueRef inside =
        ir::makeCall(ir::Function::Lt, {position(at(lanes_.axis)), position(end)});
    for (size_t i = 0; i < op.results.size(); ++i) {
      auto number = static_cast<unsigned>(op.inputs.size() + i);
      ir::ValueRef before = ir::makeValue(op.results[i]->type, ir::OperandRef{number});
      op.results[i] = ir::makeCall(ir::Function::Select, {inside, op.results[i], before});
    }
  }

  // A view of the first lanes.
  ir::Operand firstOf(const ir::Operand& lanes, const Expr& count, ir::Block& block) {
    const ir::ScalarType type = builder_.kernel().tensors[lanes.tensor].type;
    unsigned view = builder_.tensor("lanes_part", type, {count}, ir::Role::View);
    block.push_back({ir::View{view, lanes.tensor, {lanes_.axis}, {at(lanes_.axis)}, nullptr}});
    return {view, {at(lanes_.axis)}, nullptr};
  }

  // The lanes from `half` on combined with those before them; where that is 0, lane 0 with `to`.
  ir::StructuredOp merged(const ir::Combiner& combiner, const std::vector<ir::Operand>& lanes,
                          int64_t half, const std::vector<ir::Operand>& to, ir::Block& block) {
    ir::StructuredOp merge;
    merge.outputs = to;
    for (size_t i = 0; i < lanes.size(); ++i) {
      const ir::ScalarType type = builder_.kernel().tensors[lanes[i].tensor].type;
      const std::vector<Expr> shape(half > 0 ? 1 : 0, constant(half));
      unsigned view = builder_.tensor("lanes_other", type, shape, ir::Role::View);
      std::vector<std::string> dims(half > 0 ? 1 : 0, lanes_.axis);
      Expr place = half > 0 ? at(lanes_.axis) + constant(half) : Expr();
      block.push_back({ir::View{view, lanes[i].tensor, dims, {place}, nullptr}});
      merge.inputs.push_back({view, {}, nullptr});
      if (half == 0) continue;
      merge.inputs[i].map = {at(lanes_.axis)};
      merge.outputs[i] = firstOf(lanes[i], constant(half), block);
    }
    if (half > 0) merge.iterators = {{lanes_.axis, ir::IteratorKind::Parallel}};
    if (half > 1) merge.axes = axes(half);
    merge.results = inputsIntoOutputs(combiner);
    return merge;
  }

  Builder& builder_;
  const LanesOfSum& lanes_;
  std::vector<std::pair<size_t, ir::Operand>> counters_;  // for outputs by number
};

}  // namespace

ir::Block accumulateInLanes(Builder& builder, const ir::StructuredOp& op, const LanesOfSum& lanes) {
  return Accumulator(builder, lanes).run(op);
}

}  // namespace einc::transforms
