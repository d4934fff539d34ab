// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/turns.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/square.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::Tile;

// Squares in a block, each way. (Measured on Zen 5, O += transposed A, f32, GB/s: 8000 x 8400 44
// with 32, 28 with 4; 400 times 410 x 420 37 with 32, 25 with 4; 200 x 200 147 with 32, 124
// with 4.)
constexpr int64_t kSquares = 32;

// Lines of the output that are written in turn, a cache line each: as many pages as translations of
// addresses stay at hand for. That many positions of a line of the input are read on and on.
// (Measured on Zen 5, 8000 x 8400, f32, GB/s: 43 with 512, 37 with 64, 29 with all; two squares of
// one line at a time, over all lines, 32.)
constexpr int64_t kInTurn = 512;

// Where lines of the output begin at whole vectors, they go around the caches.
ir::Block Turns::run(const ir::StructuredOp& op, const std::string& across) {
  auto through = [&](const ir::StructuredOp& inner) { return squares(inner, across); };
  auto test = whereLarge(op);
  if (!test) return outer(op, {across, axis_}, through, /*loopsOnThreads=*/true);
  const ir::Operand& output = op.outputs[0];
  test->conditions.push_back({ir::Condition::Kind::Aligned,
                              constant(kCacheLine),
                              {},
                              output.tensor,
                              dimOf(output, axis_)});
  int64_t width = lanes(op);
  ir::Block around = outer(
      op, {across, axis_},
      [&](const ir::StructuredOp& inner) {
        return only(transforms::tile(
            builder_, inner, onThreads(inner, across, kInTurn, /*outer=*/true),
            [&](const Tile& block) {
              return only(transforms::tile(
                  builder_, block.op, onThreads(block.op, axis_, width), [&](const Tile& columns) {
                    return only(transforms::tile(
                        builder_, columns.op, {across, constant(width)},
                        [&](const Tile& rows) { return square(rows.op, across, rows, columns); }));
                  }));
            }));
      },
      /*loopsOnThreads=*/true);
  test->then = only({ir::Stream{output.tensor, std::move(around)}});
  test->otherwise = joined(op, across);
  return only({std::move(*test)});
}

// Blocks of several squares each way, so that lines are read on and on, and written while they are
// at hand.
ir::Block Turns::squares(const ir::StructuredOp& op, const std::string& across) {
  int64_t width = lanes(op);
  return tiles(op, onThreads(op, across, kSquares * width), [&](const Tile&, const Tile& block) {
    return tiles(block.op, {across, constant(width)}, [&](const Tile& rows, const Tile& columns) {
      return square(columns.op, across, rows, columns);
    });
  });
}

// `op` is that of tiles of both sizes.
ir::Block Turns::square(const ir::StructuredOp& op, const std::string& across, const Tile& rows,
                        const Tile& columns, std::optional<ir::Ahead> ahead) {
  ir::StructuredOp tile = op;
  tile.ahead = std::move(ahead);
  return strategy::square(std::move(tile), {across, rows.size}, {axis_, columns.size}, lanes(op),
                          target_.hasMasks);
}

// Tiles of one size along another iterator and along the axis.
ir::Block Turns::tiles(const ir::StructuredOp& op, const transforms::Tiling& across,
                       const std::function<ir::Block(const Tile&, const Tile&)>& inside) {
  return only(transforms::tile(builder_, op, across, [&](const Tile& rows) {
    return only(transforms::tile(builder_, rows.op, {axis_, across.step},
                                 [&](const Tile& columns) { return inside(rows, columns); }));
  }));
}

}  // namespace einc::strategy
