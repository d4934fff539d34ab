// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/split.h"

#include <algorithm>
#include <utility>

#include "compiler/transforms/combiner.h"

namespace einc::transforms {
namespace {

// What becomes of an iterator: positions `origin` + iterator, for `extent` of them; with `outer`
// that is a new iterator.
struct Piece {
  std::string outer;  // or empty
  affine::Expr count, origin, extent;
};

// The op, whose inputs have become views of the piece.
ir::StructuredOp onPiece(Builder& builder, const ir::StructuredOp& op, const std::string& iterator,
                         const Piece& piece, const std::string& suffix, ir::Block& block) {
  ir::StructuredOp result = op;
  for (ir::Operand& operand : result.inputs) {
    std::vector<std::string> used = iteratorsOf(operand);
    if (std::find(used.begin(), used.end(), iterator) == used.end()) continue;
    const ir::Tensor base = builder.kernel().tensors[operand.tensor];
    ir::View view{0, operand.tensor, {}, {}, nullptr};
    std::vector<affine::Expr> shape, map;
    auto dimension = [&](const std::string& name, const affine::Expr& size) {
      view.dims.push_back(name);
      shape.push_back(size);
      map.push_back(at(name));
    };
    for (size_t d = 0; d < operand.map.size(); ++d) {
      std::string name = *operand.map[d].asIterator();
      bool cut = name == iterator;
      if (cut && !piece.outer.empty()) dimension(piece.outer, piece.count);
      dimension(name, cut ? piece.extent : base.shape[d]);
      view.map.push_back(cut ? piece.origin + at(name) : at(name));
    }
    view.view = builder.tensor(base.name + suffix, base.type, std::move(shape), ir::Role::View);
    operand.tensor = view.view;
    operand.map = std::move(map);
    block.push_back({std::move(view)});
  }
  auto moved = [&](const affine::Atom& atom) -> std::optional<affine::Expr> {
    if (atom.name != iterator) return std::nullopt;
    return piece.origin + at(iterator);
  };
  for (ir::ValueRef& value : result.results)
    value = ir::rewrite(value, [&](const ir::ValueRef& v) -> ir::ValueRef {
      auto* index = std::get_if<ir::IndexRef>(&v->node);
      if (!index) return nullptr;
      return ir::makeValue(v->type, ir::IndexRef{index->index.substitute(moved)});
    });
  return result;
}

}  // namespace

ir::Block splitReduction(Builder& builder, const ir::StructuredOp& op, const std::string& iterator,
                         const affine::Expr& width) {
  ir::Function combiner = *combinerOf(op);
  const ir::Operand output = op.outputs[0];
  const ir::Tensor tensor = builder.kernel().tensors[output.tensor];
  std::string part = builder.name(iterator + "_part");
  affine::Expr extent = builder.extent(op, iterator), count = extent.floorDiv(width);

  std::vector<affine::Expr> shape = {count};
  shape.insert(shape.end(), tensor.shape.begin(), tensor.shape.end());
  ir::Operand parts{builder.tensor(tensor.name + "_parts", tensor.type, shape, ir::Role::Local),
                    {at(part)},
                    nullptr};
  parts.map.insert(parts.map.end(), output.map.begin(), output.map.end());
  ir::Block block;
  block.push_back({ir::Alloc{parts.tensor, ir::Space::Heap}});

  ir::StructuredOp fill;
  fill.iterators.push_back({part, ir::IteratorKind::Parallel});
  for (const std::string& i : iteratorsOf(output))
    fill.iterators.push_back({i, ir::IteratorKind::Parallel});
  fill.outputs = {parts};
  fill.results = {ir::makeLiteral(tensor.type, *ir::neutralElement(combiner, tensor.type))};
  ir::StructuredOp combine = fill;
  block.push_back({std::move(fill)});

  ir::StructuredOp partial =
      onPiece(builder, op, iterator, {part, count, at(part) * width, width}, "_parts", block);
  partial.iterators.insert(partial.iterators.begin(), {part, ir::IteratorKind::Parallel});
  partial.outputs = {parts};
  block.push_back({std::move(partial)});

  std::rotate(combine.iterators.begin(), combine.iterators.begin() + 1, combine.iterators.end());
  combine.iterators.back().kind = ir::IteratorKind::Reduction;
  combine.inputs = {parts};
  combine.outputs = {output};
  combine.results = {ir::makeCall(combiner, {ir::makeValue(tensor.type, ir::OperandRef{1}),
                                             ir::makeValue(tensor.type, ir::OperandRef{0})})};
  block.push_back({std::move(combine)});

  affine::Expr done = count * width;
  block.push_back({onPiece(builder, op, iterator, {"", {}, done, extent - done}, "_rest", block)});
  return block;
}

}  // namespace einc::transforms
