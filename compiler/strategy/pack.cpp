// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/pack.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/strategy/grain.h"
#include "compiler/strategy/layout.h"
#include "compiler/strategy/square.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::append;
using transforms::at;
using transforms::constant;
using transforms::dimOf;
using transforms::only;

// Rows of a panel that are packed before those of the next one: few enough that the pages they lie
// on are still at hand for it.
constexpr int64_t kRowsAtOnce = 16;

// Squares that are asked for before they are transposed: rows of one square are far apart, more of
// them than the CPU looks ahead in (measured on Zen 5: a(48, 48, 48, 56) 3.4 to 2.6 ms).
constexpr int64_t kAhead = 4;

// The positions of `along` as one: ((k1 * size2) + k2) * size3 + k3.
Expr linear(transforms::Builder& builder, const ir::StructuredOp& op,
            const std::vector<std::string>& along) {
  Expr position;
  for (const std::string& k : along) position = position * builder.extent(op, k) + at(k);
  return position;
}

}  // namespace

int64_t pieceOf(const transforms::Builder& builder, const ir::StructuredOp& op,
                const std::vector<std::string>& group, int64_t width, int64_t lanes) {
  if (group.size() == 1) return 1;
  int64_t whole = std::min(lanes, width & -width);
  auto stretch = builder.extent(op, group.back()).asConstant();
  if (!stretch || *stretch < 1) return whole;
  int64_t aligned = std::min(lanes, width);
  while (width % aligned != 0 || *stretch % aligned != 0) --aligned;
  // Cycles for an element: an element on its own takes about as long as a vector.
  auto gaps = static_cast<double>(std::min(whole - 1, *stretch)) / static_cast<double>(*stretch);
  double byLanes = (1 - gaps) / static_cast<double>(whole) + gaps;
  return byLanes < 1 / static_cast<double>(aligned) ? whole : aligned;
}

int64_t axisOfPiece(int64_t piece, bool masks) {
  int64_t axis = 1;
  while (axis < piece) axis *= 2;
  return masks ? axis : piece;
}

ir::Block pack(transforms::Builder& builder, const ir::StructuredOp& op, size_t operand,
               const Panels& panels, const std::string& across,
               const std::vector<std::string>& along, int64_t lanes, int64_t threads) {
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

  auto unitAlong = [&](const std::string& iterator) {
    return std::vector<ir::Condition>{
        {ir::Condition::Kind::Unit, {}, {}, from.tensor, dimOf(from, iterator)}};
  };

  // The op on one panel, from position `first` of the last iterator of K on.
  auto onPanel = [&](const transforms::Tile& panel, bool whole, const Expr& first,
                     ir::Block& block) {
    ir::StructuredOp inner = panel.op;
    std::vector<std::string> dims = along;
    std::vector<Expr> sizes, plain,
        position = {at(panel.origin).floorDiv(constant(panels.width)),
                    linear(builder, op, along) + first, at(across)};
    for (const std::string& k : along) sizes.push_back(builder.extent(inner, k));
    sizes.push_back(constant(panels.width));
    dims.push_back(across);
    for (const std::string& dim : dims) plain.push_back(at(dim));
    unsigned target = builder.tensor("panel", panels.type, sizes, ir::Role::View);
    block.push_back({ir::View{target, panels.buffer, dims, position, nullptr}});
    if (!whole) {
      std::vector<std::string> order;
      std::vector<Expr> shape;
      for (const Expr& e : inner.inputs[0].map) order.push_back(*e.asIterator());
      for (const std::string& dim : order)
        shape.push_back(dim == across ? constant(panels.width) : builder.extent(inner, dim));
      unsigned padded = builder.tensor("padded", type, shape, ir::Role::View);
      block.push_back({ir::View{padded, inner.inputs[0].tensor, order, inner.inputs[0].map,
                                ir::makeLiteral(type, ir::Number{})}});
      inner.inputs[0].tensor = padded;
    }
    inner.outputs = {{target, plain, nullptr}};
    return inner;
  };

  auto byRows = [&](const transforms::Tile& panel, bool whole, const Expr& first) {
    ir::Block block;
    ir::StructuredOp inner = onPanel(panel, whole, first, block);
    // K outside, so that the rows of a panel are read side by side.
    std::rotate(inner.iterators.begin(), inner.iterators.begin() + 1, inner.iterators.end());
    inner.axes = {{across, panels.width}};
    block.push_back({std::move(inner)});
    return block;
  };

  // In squares of registers along the iterator of K along which the operand is contiguous, if any.
  std::string turning = contiguousIn(from, along);
  if (turning.empty()) turning = last;
  auto byPieces = [&](const ir::StructuredOp& scalars) {
    if (panels.piece == 1) return only({scalars});
    transforms::Tiling pieces{across, constant(panels.piece)};
    return only(transforms::tile(builder, scalars, pieces, [&](const transforms::Tile& piece) {
      const ir::Operand& own = piece.op.inputs[0];
      ir::StructuredOp vector = piece.op;
      vector.axes = {{across, axisOfPiece(panels.piece, panels.masks)}};
      ir::If test{
          {{ir::Condition::Kind::Unit, {}, {}, own.tensor, dimOf(own, across)},
           {ir::Condition::Kind::Equal, transforms::size(piece.size), constant(panels.piece)}},
          only({std::move(vector)}),
          only({piece.op})};
      return only({std::move(test)});
    }));
  };

  auto byColumns = [&](const transforms::Tile& panel, bool whole) {
    ir::Block block;
    ir::StructuredOp inner = onPanel(panel, whole, Expr(), block);
    ir::StructuredOp scalars = inner;
    std::rotate(scalars.iterators.begin(), scalars.iterators.begin() + 1, scalars.iterators.end());
    int64_t side = std::min(lanes, panels.width & -panels.width);
    ir::Stmt turned = transforms::tile(
        builder, inner, {across, constant(side)}, [&](const transforms::Tile& rows) {
          return only(transforms::tile(
              builder, rows.op, {turning, constant(side)}, [&](const transforms::Tile& columns) {
                ir::StructuredOp tile = columns.op;
                tile.ahead = ir::Ahead{turning, kAhead * side};
                return square(std::move(tile), {across, rows.size}, {turning, columns.size}, side,
                              /*masks=*/false);
              }));
        });
    // The last panel alone is not worth a transpose, nor are the ends of rows: with masks they
    // would be faster (65 cubed, both transposed, 124 to 149 GFLOP/s), and all code a third longer.
    ir::Block rest = whole ? byPieces(scalars) : only({scalars});
    if (whole) rest = only({ir::If{unitAlong(turning), only(std::move(turned)), std::move(rest)}});
    if (panels.piece == 1) {
      append(block, std::move(rest));
      return block;
    }
    // Panels of a group of several iterators may be contiguous one by one.
    const ir::Operand& own = panel.op.inputs[0];
    scalars.axes = {{across, panels.width}};
    ir::If rows{{{ir::Condition::Kind::Unit, {}, {}, own.tensor, dimOf(own, across)}},
                only({scalars}),
                std::move(rest)};
    block.push_back({std::move(rows)});
    return block;
  };

  // The op that is tiled has no output yet: its panels get views of the buffer.
  auto onThreads = [&](const std::string& iterator, int64_t step) {
    return shared(builder, threads, copy, {iterator, constant(step)}, kElementsAThread);
  };
  auto inPanels = [&](const ir::StructuredOp& all, const transforms::Tiling& panelwise,
                      const auto& versions) {
    return transforms::tile(builder, all, panelwise, [&](const transforms::Tile& panel) {
      ir::If test{
          {{ir::Condition::Kind::Equal, transforms::size(panel.size), constant(panels.width)}},
          versions(panel, true),
          versions(panel, false)};
      return only({std::move(test)});
    });
  };
  // A few rows of all panels at a time: whole stretches of memory are read.
  ir::Stmt rows = transforms::tile(
      builder, copy, onThreads(last, kRowsAtOnce), [&](const transforms::Tile& some) {
        return only(inPanels(some.op, {across, constant(panels.width)},
                             [&](const transforms::Tile& panel, bool whole) {
                               return byRows(panel, whole, at(some.origin));
                             }));
      });
  ir::If test{unitAlong(across), only(std::move(rows)),
              only(inPanels(copy, onThreads(across, panels.width), byColumns))};
  return only({ir::Outline{builder.name("pack_" + name.substr(0, name.find('_'))),
                           only({std::move(test)})}});
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
