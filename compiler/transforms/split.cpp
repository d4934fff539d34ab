// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/split.h"

#include <algorithm>
#include <utility>

#include "compiler/transforms/combiner.h"
#include "compiler/transforms/tile.h"

namespace einc::transforms {
ir::Block splitReduction(Builder& builder, const ir::StructuredOp& op, const std::string& iterator,
                         const affine::Expr& width, const std::string& wanted) {
  const ir::Combiner combiner = *partsOf(op);
  std::string part = builder.name(wanted);
  affine::Expr extent = builder.extent(op, iterator), count = extent.floorDiv(width);
  ir::Block block;

  ir::StructuredOp fill;
  fill.iterators.push_back({part, ir::IteratorKind::Parallel});
  for (const ir::Iterator& i : op.iterators)
    if (i.kind == ir::IteratorKind::Parallel) fill.iterators.push_back(i);
  for (const ir::Operand& output : op.outputs) {
    const ir::Tensor tensor = builder.kernel().tensors[output.tensor];
    std::vector<affine::Expr> shape = {count};
    shape.insert(shape.end(), tensor.shape.begin(), tensor.shape.end());
    ir::Operand parts{builder.tensor(tensor.name + "_parts", tensor.type, shape, ir::Role::Local),
                      {at(part)},
                      nullptr};
    parts.map.insert(parts.map.end(), output.map.begin(), output.map.end());
    block.push_back({ir::Alloc{parts.tensor, ir::Space::Heap}});
    fill.outputs.push_back(std::move(parts));
  }
  fill.results = combiner.neutral;
  ir::StructuredOp combine = fill;
  block.push_back({fill});

  ir::StructuredOp partial =
      onPositions(builder, op, iterator, {{part, count, width}, {iterator, width, constant(1)}},
                  constant(0), "_parts", block);
  std::erase_if(partial.iterators, [&](const ir::Iterator& i) { return i.name == part; });
  partial.iterators.insert(partial.iterators.begin(), {part, ir::IteratorKind::Parallel});
  partial.outputs = fill.outputs;
  block.push_back({std::move(partial)});

  std::rotate(combine.iterators.begin(), combine.iterators.begin() + 1, combine.iterators.end());
  combine.iterators.back().kind = ir::IteratorKind::Reduction;
  combine.inputs = fill.outputs;
  combine.outputs = op.outputs;
  combine.combiner = op.combiner;
  combine.results = inputsIntoOutputs(combiner);
  block.push_back({std::move(combine)});

  affine::Expr done = count * width;
  block.push_back({onPositions(builder, op, iterator, {{iterator, extent - done, constant(1)}},
                               done, "_rest", block)});
  return block;
}

}  // namespace einc::transforms
