// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A tile of an op that reads along one iterator and writes along another: a square of registers,
// which is transposed there.
//
//   after   if rows_size == 16 and columns_size == 16 { op ... vector (rows: 16, columns: 16) }
//           else { op ... }
#pragma once

#include <string>
#include <utility>

#include "compiler/ir/ir.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

// One side: an iterator, how many positions of it the tile has, and how many a whole one has.
struct Side {
  std::string iterator;
  affine::Expr size;
  int64_t length;
};

// `op` is on tiles of such lengths. With masks, squares that are cut off are transposed, too; of
// what follows them nothing is asked for, as some of their lines do not exist.
inline ir::Block transposeTile(ir::StructuredOp op, const Side& rows, const Side& columns,
                               bool masks) {
  ir::Block cut = masks ? ir::Block() : transforms::only({op});
  op.axes = {{rows.iterator, rows.length}, {columns.iterator, columns.length}};
  if (masks) cut = transforms::only({op});
  if (masks) std::get<ir::StructuredOp>(cut[0].node).ahead = {};
  auto full = [&](const Side& side) {
    return ir::Condition{ir::Condition::Kind::Equal, side.size, transforms::constant(side.length)};
  };
  return transforms::only(
      {ir::If{{full(rows), full(columns)}, transforms::only({std::move(op)}), std::move(cut)}});
}

}  // namespace einc::strategy
