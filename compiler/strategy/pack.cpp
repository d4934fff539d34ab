// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/pack.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::at;
using transforms::constant;

unsigned dimOf(const ir::Operand& operand, const std::string& iterator) {
  for (unsigned d = 0; d < operand.map.size(); ++d)
    if (operand.map[d].asIterator() == iterator) return d;
  return 0;
}

ir::Block only(ir::Stmt stmt) {
  ir::Block block;
  block.push_back(std::move(stmt));
  return block;
}

// The positions of `along` as one: ((k1 * size2) + k2) * size3 + k3.
Expr linear(transforms::Builder& builder, const ir::StructuredOp& op,
            const std::vector<std::string>& along) {
  Expr position;
  for (const std::string& k : along) position = position * builder.extent(op, k) + at(k);
  return position;
}

}  // namespace

ir::Block pack(transforms::Builder& builder, const ir::StructuredOp& op, size_t operand,
               const Panels& panels, const std::string& across,
               const std::vector<std::string>& along, int64_t lanes, std::optional<Expr> grain) {
  const ir::Operand from = op.inputs[operand];
  const std::string name = builder.kernel().tensors[from.tensor].name;
  ir::ScalarType type = builder.kernel().tensors[from.tensor].type;
  const std::string& last = along.back();

  // One panel: whole, or filled up with zeros.
  ir::StructuredOp copy;
  copy.iterators.push_back({across, ir::IteratorKind::Parallel});
  for (const std::string& k : along) copy.iterators.push_back({k, ir::IteratorKind::Parallel});
  copy.inputs = {from};
  copy.results = {ir::makeCast(panels.type, ir::makeValue(type, ir::OperandRef{0}))};

  auto versions = [&](const transforms::Tile& panel, bool whole) {
    ir::Block block;
    ir::StructuredOp inner = panel.op;
    std::vector<std::string> dims = along;
    std::vector<Expr> sizes, plain,
        position = {at(panel.origin).floorDiv(constant(panels.width)), linear(builder, op, along),
                    at(across)};
    for (const std::string& k : along) sizes.push_back(builder.extent(op, k));
    sizes.push_back(constant(panels.width));
    dims.push_back(across);
    for (const std::string& dim : dims) plain.push_back(at(dim));
    unsigned target = builder.tensor("panel", panels.type, sizes, ir::Role::View);
    block.push_back({ir::View{target, panels.buffer, dims, position, nullptr}});
    inner.outputs = {{target, plain, nullptr}};
    if (!whole) {
      std::vector<std::string> order;
      std::vector<Expr> shape;
      for (const Expr& e : inner.inputs[0].map) order.push_back(*e.asIterator());
      for (const std::string& dim : order)
        shape.push_back(dim == across ? constant(panels.width) : builder.extent(op, dim));
      unsigned padded = builder.tensor("padded", type, shape, ir::Role::View);
      block.push_back({ir::View{padded, inner.inputs[0].tensor, order, inner.inputs[0].map,
                                ir::makeLiteral(type, ir::Number{})}});
      inner.inputs[0].tensor = padded;
    }
    ir::StructuredOp byRows = inner;
    // K outside, so that the rows of a panel are read side by side.
    std::rotate(byRows.iterators.begin(), byRows.iterators.begin() + 1, byRows.iterators.end());
    byRows.axes = {{across, panels.width}};
    ir::StructuredOp scalars = byRows;
    scalars.axes.clear();
    int64_t square = std::min(lanes, panels.width & -panels.width);
    ir::Stmt turned = transforms::tile(
        builder, inner, {last, constant(square)}, [&](const transforms::Tile& columns) {
          return only(transforms::tile(
              builder, columns.op, {across, constant(square)}, [&](const transforms::Tile& rows) {
                ir::StructuredOp squares = rows.op;
                squares.axes = {{across, square}, {last, square}};
                std::vector<ir::Condition> full = {
                    {ir::Condition::Kind::Equal, transforms::size(columns.size), constant(square)},
                    {ir::Condition::Kind::Equal, transforms::size(rows.size), constant(square)}};
                return only({ir::If{full, only({squares}), only({rows.op})}});
              }));
        });
    ir::If alongK{{{ir::Condition::Kind::Unit, {}, {}, from.tensor, dimOf(from, last)}},
                  only(std::move(turned)),
                  only({scalars})};
    ir::If acrossK{{{ir::Condition::Kind::Unit, {}, {}, from.tensor, dimOf(from, across)}},
                   only({std::move(byRows)}),
                   // The last panel alone is not worth a transpose.
                   whole ? only({std::move(alongK)}) : only({scalars})};
    block.push_back({std::move(acrossK)});
    return block;
  };

  // The op that is tiled has no output yet: its panels get views of the buffer.
  ir::Stmt loop = transforms::tile(
      builder, copy, {across, constant(panels.width), std::move(grain)},
      [&](const transforms::Tile& panel) {
        ir::If test{
            {{ir::Condition::Kind::Equal, transforms::size(panel.size), constant(panels.width)}},
            versions(panel, true),
            versions(panel, false)};
        return only({std::move(test)});
      });
  return only(
      {ir::Outline{builder.name("pack_" + name.substr(0, name.find('_'))), only(std::move(loop))}});
}

ir::Operand panelView(transforms::Builder& builder, const Panels& panels, const std::string& origin,
                      const Expr& rows, const std::string& across, const std::string& p,
                      const Expr& length, ir::Block& block) {
  unsigned view = builder.tensor(builder.kernel().tensors[panels.buffer].name + "_panel",
                                 panels.type, {length, rows}, ir::Role::View);
  block.push_back({ir::View{view,
                            panels.buffer,
                            {p, across},
                            {at(origin).floorDiv(constant(panels.width)), at(p), at(across)},
                            nullptr}});
  return {view, {at(p), at(across)}, nullptr};
}

}  // namespace einc::strategy
