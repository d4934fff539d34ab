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
               const std::vector<std::string>& along, int64_t lanes) {
  ir::Block block;
  const ir::Operand& from = op.inputs[operand];
  std::string i = builder.name("panel"), j = builder.name(across);
  Expr width = constant(panels.width);

  ir::StructuredOp copy;
  copy.iterators.push_back({i, ir::IteratorKind::Parallel});
  for (const std::string& k : along) copy.iterators.push_back({k, ir::IteratorKind::Parallel});
  copy.iterators.push_back({j, ir::IteratorKind::Parallel});
  // Rows beyond the last are zeros.
  ir::ScalarType type = builder.kernel().tensors[from.tensor].type;
  std::vector<std::string> dims = {i};
  std::vector<Expr> sizes = {builder.extent(op, across).ceilDiv(width)}, plain = {at(i)};
  std::vector<Expr> inner = {at(i), linear(builder, op, along), at(j)};
  for (const std::string& k : along) {
    dims.push_back(k);
    sizes.push_back(builder.extent(op, k));
    plain.push_back(at(k));
  }
  dims.push_back(j);
  sizes.push_back(width);
  plain.push_back(at(j));

  std::vector<Expr> map = from.map;
  map[dimOf(from, across)] = at(i) * width + at(j);
  const std::string name = builder.kernel().tensors[from.tensor].name;
  unsigned source = builder.tensor(name + "_panels", type, sizes, ir::Role::View);
  block.push_back({ir::View{source, from.tensor, dims, map, ir::makeLiteral(type, ir::Number{})}});
  unsigned target = builder.tensor(builder.kernel().tensors[panels.buffer].name + "_panels",
                                   panels.type, sizes, ir::Role::View);
  block.push_back({ir::View{target, panels.buffer, dims, inner, nullptr}});
  copy.inputs = {{source, plain, nullptr}};
  copy.outputs = {{target, plain, nullptr}};
  copy.results = {ir::makeCast(panels.type, ir::makeValue(type, ir::OperandRef{0}))};

  ir::StructuredOp byRows = copy, scalars = copy;
  byRows.axes = {{j, panels.width}};
  const std::string& last = along.back();
  ir::Stmt turned =
      transforms::tile(builder, copy, {last, constant(lanes)}, [&](const transforms::Tile& tile) {
        ir::StructuredOp whole = tile.op;
        whole.axes = {{j, panels.width}, {last, lanes}};
        ir::If test{{{ir::Condition::Kind::Equal, transforms::size(tile.size), constant(lanes)}},
                    only({whole}),
                    only({tile.op})};
        return only({std::move(test)});
      });
  ir::If alongK{{{ir::Condition::Kind::Unit, {}, {}, from.tensor, dimOf(from, last)}},
                only(std::move(turned)),
                only({std::move(scalars)})};
  ir::If acrossK{{{ir::Condition::Kind::Unit, {}, {}, from.tensor, dimOf(from, across)}},
                 only({std::move(byRows)}),
                 only({std::move(alongK)})};
  ir::Outline outline{builder.name("pack_" + name.substr(0, name.find('_'))),
                      only({std::move(acrossK)})};
  block.push_back({std::move(outline)});
  return block;
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
