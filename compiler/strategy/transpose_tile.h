// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A tile of an op that reads along one iterator and writes along another: a square of registers,
// which is transposed there.
//
//   after   if rows_size == 16 and columns_size == 16 { op ... vector (rows: 16, columns: 16) }
//           else { op ... }
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/ir/ir.h"
#include "compiler/target/target.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

// One side: an iterator, how many positions of it the tile has, and how many a whole one has.
struct Side {
  std::string iterator;
  affine::Expr size;
  int64_t length;
};

// `op` is on tiles of such lengths. With masks, squares that are cut off are transposed, too, in smaller ones; of
// what follows them nothing is asked for, as some of their lines do not exist.
inline ir::Block transposeTile(transforms::Builder& builder, ir::StructuredOp op, const Side& rows,
                               const Side& columns, const target::Target& target) {
  const bool masks = target.masksEnds;
  const int64_t cutSide = target.numbers.cutSquare;
  ir::Block cut = transforms::only({op});
  if (masks) {
    ir::StructuredOp part = op;
    part.ahead = {};
    if (std::min(rows.length, columns.length) > cutSide) {
      using transforms::Tile;
      const auto some = [&](const std::string& iterator) {
        return transforms::Tiling{iterator, transforms::constant(cutSide)};
      };
      cut = transforms::only(
          transforms::tile(builder, part, some(rows.iterator), [&](const Tile& above) {
            return transforms::only(
                transforms::tile(builder, above.op, some(columns.iterator), [&](const Tile& one) {
                  return transposeTile(
                      builder, one.op, {rows.iterator, transforms::size(above.size), cutSide},
                      {columns.iterator, transforms::size(one.size), cutSide}, target);
                }));
          }));
    } else {
      part.axes = {{rows.iterator, rows.length}, {columns.iterator, columns.length}};
      cut = transforms::only({std::move(part)});
    }
  }
  op.axes = {{rows.iterator, rows.length}, {columns.iterator, columns.length}};
  auto full = [&](const Side& side) {
    return ir::Condition{ir::Condition::Kind::Equal, side.size, transforms::constant(side.length)};
  };
  return transforms::only(
      {ir::If{{full(rows), full(columns)}, transforms::only({std::move(op)}), std::move(cut)}});
}

}  // namespace einc::strategy
