// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/direct.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using transforms::size;
using transforms::Tile;

// Up to so many iterations, packing costs more than it saves (measured: between 64 and 96 cubed).
constexpr int64_t kFewIterations = 80 * 80 * 80;

void append(ir::Block& to, ir::Block from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

ir::Block only(ir::Stmt stmt) {
  ir::Block block;
  block.push_back(std::move(stmt));
  return block;
}

unsigned dimOf(const ir::Operand& operand, const std::string& iterator) {
  for (unsigned d = 0; d < operand.map.size(); ++d)
    if (operand.map[d].asIterator() == iterator) return d;
  return 0;
}

Expr extentOf(const transforms::Builder& builder, const ir::StructuredOp& op,
              const std::vector<std::string>& iterators) {
  Expr result = constant(1);
  for (const std::string& i : iterators) result = result * builder.extent(op, i);
  return result;
}

}  // namespace

Direct::Direct(transforms::Builder& builder, const ir::StructuredOp& op, const Groups& groups,
               const ContractionTiles& tiles, const target::Target& target)
    : builder_(builder), op_(op), groups_(groups), tiles_(tiles) {
  m_ = groups.m[0];
  n_ = groups.n[0];
  k_ = groups.k.back();
  rows_ = extentOf(builder, op, groups.m).asConstant();
  columns_ = extentOf(builder, op, groups.n).asConstant();
  terms_ = extentOf(builder, op, groups.k).asConstant();
  tile_ = directTile(target, tiles, static_cast<int>(op.outputs.size()), rows_, columns_);
  resident_ = target.l2.bytes / 2 / (target.vectorBytes / tiles.lanes);
  outline_ = !rows_ || !columns_ || !terms_ || *rows_ * *columns_ * *terms_ > kFewIterations;
}

std::optional<std::vector<ir::Condition>> Direct::conditions() const {
  if (groups_.m.size() > 1 || groups_.n.size() > 1) return std::nullopt;
  if (!tiles_.masks && !columns_) return std::nullopt;
  using Kind = ir::Condition::Kind;
  std::vector<ir::Condition> conditions;
  bool fewRows = rows_ && *rows_ <= 6 * tiles_.mr;
  bool fewColumns = columns_ && *columns_ <= tiles_.nr;
  bool fewTerms = terms_ && *terms_ <= tiles_.nr;
  if (!fewRows && !fewColumns && !fewTerms) {
    Expr all = extentOf(builder_, op_, groups_.m) * extentOf(builder_, op_, groups_.n) *
               extentOf(builder_, op_, groups_.k);
    if (all.asConstant().value_or(0) > kFewIterations) return std::nullopt;
    conditions.push_back({Kind::LessEqual, all, constant(kFewIterations)});
  }
  const ir::Operand& right = op_.inputs[groups_.right[0]];
  conditions.push_back({Kind::Unit, {}, {}, right.tensor, dimOf(right, n_)});
  for (const ir::Operand& output : op_.outputs)
    conditions.push_back({Kind::Unit, {}, {}, output.tensor, dimOf(output, n_)});
  return conditions;
}

ir::Block Direct::run(const ir::StructuredOp& op) {
  auto byColumns = [&](const ir::StructuredOp& part) {
    return columnTiles(part, [&](const ir::StructuredOp& columns, int64_t width) {
      return rowTiles(columns, tile_.rows, [&](const ir::StructuredOp& rows, int64_t count) {
        return registerTile(rows, count, width);
      });
    });
  };
  auto byRows = [&](const ir::StructuredOp& part) {
    return rowTiles(part, tile_.rows, [&](const ir::StructuredOp& rows, int64_t count) {
      return columnTiles(rows, [&](const ir::StructuredOp& columns, int64_t width) {
        return registerTile(columns, count, width);
      });
    });
  };
  if (!outline_) {
    // So short that it matters how places are computed.
    const ir::Operand& left = op.inputs[groups_.left[0]];
    ir::Condition unit{ir::Condition::Kind::Unit, {}, {}, left.tensor, dimOf(left, k_)};
    return only({ir::If{{unit}, byRows(op), byRows(op)}});
  }
  if (columns_ && terms_ && *columns_ * *terms_ <= resident_) return byRows(op);
  int64_t step = rows_.value_or(0) <= 16 ? 32 : 64;
  return only(transforms::tile(builder_, op, {k_, constant(step)},
                               [&](const Tile& tile) { return byColumns(tile.op); }));
}

// Tiles of `step` positions, and one of those that are left.
ir::Block Direct::known(const ir::StructuredOp& op, const std::string& iterator, int64_t step,
                        const Inside& inside) {
  int64_t extent = *builder_.extent(op, iterator).asConstant(), whole = extent / step * step;
  ir::Block block;
  if (whole > 0) {
    ir::StructuredOp main =
        whole < extent ? transforms::part(builder_, op, iterator, 0, whole, block) : op;
    if (whole == step)
      append(block, inside(main, step));
    else
      block.push_back(transforms::tile(builder_, main, {iterator, constant(step)},
                                       [&](const Tile& tile) { return inside(tile.op, step); }));
  }
  if (whole < extent) {
    ir::StructuredOp rest =
        transforms::part(builder_, op, iterator, whole, extent - whole, block);
    append(block, inside(rest, extent - whole));
  }
  return block;
}

ir::Block Direct::rowTiles(const ir::StructuredOp& op, int64_t step, const Inside& inside) {
  if (builder_.extent(op, m_).asConstant()) return known(op, m_, step, inside);
  return only(transforms::tile(builder_, op, {m_, constant(step)}, [&](const Tile& tile) {
    ir::If test{{{ir::Condition::Kind::Equal, size(tile.size), constant(step)}},
                inside(tile.op, step),
                {}};
    if (step > 1) test.otherwise = rowTiles(tile.op, step > 4 ? 4 : 1, inside);
    return only({std::move(test)});
  }));
}

ir::Block Direct::columnTiles(const ir::StructuredOp& op, const Inside& inside) {
  if (builder_.extent(op, n_).asConstant())
    return known(op, n_, tile_.columns, [&](const ir::StructuredOp& part, int64_t count) {
      return inside(part, widthFor(count));
    });
  return only(transforms::tile(builder_, op, {n_, constant(tile_.columns)}, [&](const Tile& tile) {
    ir::Block result;
    for (int64_t width = tile_.columns; width > 0; width -= tiles_.lanes) {
      ir::If test{{{ir::Condition::Kind::LessEqual, size(tile.size), constant(width)}},
                  inside(tile.op, width),
                  std::move(result)};
      if (width == tile_.columns)
        result = std::move(test.then);
      else
        result = only({std::move(test)});
    }
    ir::If whole{{{ir::Condition::Kind::Equal, size(tile.size), constant(tile_.columns)}},
                 inside(tile.op, tile_.columns),
                 std::move(result)};
    return only({std::move(whole)});
  }));
}

// The axis for so many columns. With masks it may be longer than they are; the last vector is as
// narrow as a power of two allows.
int64_t Direct::widthFor(int64_t columns) const {
  if (!tiles_.masks) return columns;
  int64_t last = columns % tiles_.lanes, narrow = 1;
  if (last == 0) return columns;
  while (narrow < last) narrow *= 2;
  return columns - last + narrow;
}

ir::Block Direct::registerTile(const ir::StructuredOp& op, int64_t rows, int64_t columns) {
  ir::StructuredOp tile = op;
  // A tile of one row has no iterator for it.
  for (const ir::Axis& axis : {ir::Axis{m_, rows}, ir::Axis{n_, columns}})
    if (builder_.hasExtent(op, axis.name)) tile.axes.push_back(axis);
  if (!outline_) return only({std::move(tile)});
  return only({ir::Outline{builder_.name("direct"), only({std::move(tile)})}});
}

}  // namespace einc::strategy
