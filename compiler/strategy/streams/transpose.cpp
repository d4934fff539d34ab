// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/transpose.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/grain.h"
#include "compiler/strategy/streams/large_outputs.h"
#include "compiler/transforms/tile.h"
#include "compiler/transforms/unroll.h"

namespace einc::strategy {

using affine::Expr;
using transforms::at;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;
using transforms::Tiling;

bool Transpose::has(const ir::Operand& operand, const std::string& name) {
  auto used = transforms::iteratorsOf(operand);
  return std::find(used.begin(), used.end(), name) != used.end();
}

int64_t Transpose::lanes(const ir::StructuredOp& op) const {
  return target_.lanes(transforms::registerBytes(op));
}

transforms::Tiling Transpose::onThreads(const ir::StructuredOp& op, const std::string& iterator,
                                        int64_t step, bool outer) const {
  return amongThreads(builder_, options_.threads, op, {iterator, constant(step)},
                      numbers_.elementsPerThread, outer);
}

ir::Block Transpose::outer(const ir::StructuredOp& op, const std::vector<std::string>& but,
                           const Inner& inner, bool loopsOnThreads) {
  std::vector<std::string> loops;
  for (const ir::Iterator& i : op.iterators)
    if (i.kind == ir::IteratorKind::Parallel &&
        std::find(but.begin(), but.end(), i.name) == but.end())
      loops.push_back(i.name);
  if (loops.empty()) return inner(op);
  bool more = loops.size() > 1 || loopsOnThreads;
  return only(transforms::tile(
      builder_, op, onThreads(op, loops[0], 1, more),
      [&](const Tile& tile) { return outer(tile.op, but, inner, loopsOnThreads); }));
}

std::optional<std::vector<ir::Condition>> Transpose::whereLarge(const ir::StructuredOp& op) const {
  std::vector<Expr> extents;
  for (const ir::Iterator& i : op.iterators) extents.push_back(builder_.extent(op, i.name));
  auto beyond = beyondCaches(extents, bytesOf(op.outputs[0]), target_.l3.bytes);
  const bool hasLines = !ir::info(builder_.kernel().tensors[op.outputs[0].tensor].type).isPacked();
  if (!beyond || !hasLines) return std::nullopt;
  std::vector<ir::Condition> conditions;
  for (const Expr& size : beyond->sizes)
    conditions.push_back({ir::Condition::Kind::Less, constant(0), size});
  conditions.push_back({ir::Condition::Kind::Less, constant(beyond->limit), beyond->count});
  return conditions;
}

ir::Block Transpose::run(const ir::StructuredOp& op, const std::string& across) {
  auto large = whereLarge(op);
  if (!large)
    return outer(
        op, {across, axis_}, [&](const ir::StructuredOp& inner) { return inBlocks(inner, across); },
        /*loopsOnThreads=*/true);
  const ir::Operand& output = op.outputs[0];
  ir::If test{*large, {}, {}};
  test.conditions.push_back({ir::Condition::Kind::Aligned,
                             constant(numbers_.cacheLine),
                             {},
                             output.tensor,
                             dimOf(output, axis_)});
  follow_ = follow(op, across, 1);
  ir::Block around = outer(
      op, {across, axis_}, [&](const ir::StructuredOp& inner) { return aligned(inner, across); },
      /*loopsOnThreads=*/true);
  test.then = only({ir::NonTemporal{output.tensor, std::move(around)}});
  test.otherwise = throughStage(op, across, std::move(*large));
  return only({std::move(test)});
}

// Lines of the output begin at whole vectors: they go around the caches.
ir::Block Transpose::aligned(const ir::StructuredOp& op, const std::string& across) {
  int64_t width = lanes(op), line = cacheLine(op), height = numbers_.transposeTogether * line;
  const int64_t length = std::max(width, line);  // lines are written whole
  int64_t lines = width * length / line;         // of a tile
  Expr rows = builder_.extent(op, across), positions = builder_.extent(op, axis_);
  ir::Block block;
  Tiling parts{across, choose(rows, numbers_.transposeAll, numbers_.transposeAll,
                              numbers_.transposeFew, block)};
  parts = amongThreads(builder_, options_.threads, op, parts, numbers_.elementsPerThread,
                       /*outer=*/true);
  Tiling strips{axis_, choose(positions, height, line, height, block)};
  auto next = [&](const Tile& part, const Tile& strip, const Tile& some, const Tile& columns) {
    Expr first = at(some.origin) * constant(numbers_.transposeTogether) +
                 (at(columns.origin) * constant(width)).floorDiv(constant(line));
    ir::Block asked = ask(part.op, across, at(strip.origin) + constant(height), first, lines);
    if (asked.empty()) return asked;
    ir::Condition several{ir::Condition::Kind::Less, constant(height), positions};
    return only({ir::If{{several}, std::move(asked), {}}});
  };
  auto inStrip = [&](const Tile& part, const Tile& strip) {
    Tiling over{across, constant(width)}, along{axis_, constant(length)};
    return only(transforms::tile(builder_, strip.op, over, [&](const Tile& some) {
      return only(transforms::tile(builder_, some.op, along, [&](const Tile& columns) {
        ir::Block transposed = next(part, strip, some, columns);
        transforms::append(transposed, transposeTile(columns.op, {across, size(some.size), width},
                                                     {axis_, size(columns.size), length}));
        return transposed;
      }));
    }));
  };
  block.push_back(transforms::tile(builder_, op, parts, [&](const Tile& part) {
    Tiling tiling =
        amongThreads(builder_, options_.threads, part.op, strips, numbers_.elementsPerThread);
    return only(transforms::tile(builder_, part.op, tiling,
                                 [&](const Tile& strip) { return inStrip(part, strip); }));
  }));
  return block;
}

int64_t Transpose::bytesOf(const ir::Operand& operand) const {
  return ir::info(builder_.kernel().tensors[operand.tensor].type).bytes();
}
int64_t Transpose::cacheLine(const ir::StructuredOp& op) const {
  return numbers_.cacheLine / bytesOf(op.outputs[0]);
}

// As a bound, where the number is not known.
Expr Transpose::choose(const Expr& number, int64_t limit, int64_t within, int64_t beyond,
                       ir::Block& block) {
  if (auto known = number.asConstant()) return constant(*known <= limit ? within : beyond);
  if (within == beyond) return constant(within);
  ir::Bound isMore{builder_.name("more"), {constant(1), number.floorDiv(constant(limit + 1))}};
  block.push_back({isMore});
  return constant(within) + constant(beyond - within) * size(isMore.name);
}

// Line after line of the strip: `same` is 1 for what is in the same line as the first, 0 for what
// is in the next. (Measured on Zen 5, 400 times 416 x 416, f32, GB/s: 44; 34 in a loop for each
// line, whose branches are guessed wrong, and where lines are known to follow one another, so that
// nothing is computed and all is asked for at once.)
ir::Block Transpose::ask(const ir::StructuredOp& op, const std::string& across, const Expr& next,
                         const Expr& first, int64_t count) {
  if (!follow_ || count == 0) return {};
  ir::Bound all{builder_.name("lines"),
                {builder_.extent(op, across).ceilDiv(constant(cacheLine(op)))}};
  ir::Bound row{builder_.name("row"), {first.floorDiv(size(all.name))}};
  ir::TileLoop loop = transforms::tileLoop(builder_, "line", constant(count), constant(1),
                                           ir::IteratorKind::Parallel);
  Expr place = first - size(row.name) * size(all.name) + at(loop.var);
  ir::Bound left{builder_.name("left"), {place - size(all.name), constant(0)}};
  ir::Bound same{builder_.name("same"), {constant(0) - size(left.name), constant(1)}};
  Expr over = constant(1) - size(same.name), in = next + size(row.name) + over;
  Expr column = (place - over * size(all.name)) * constant(cacheLine(op));
  loop.body.push_back({std::move(left)});
  loop.body.push_back({std::move(same)});
  for (const ir::Operand& input : op.inputs) {
    if (!isTransposed(input, across)) continue;
    ir::Prefetch soon{input.tensor, {}, isFar()};
    for (const Expr& index : input.map)
      soon.index.push_back(index.asIterator() == across  ? column
                           : index.asIterator() == axis_ ? in
                                                         : index);
    loop.body.push_back({std::move(soon)});
  }
  ir::Block block;
  block.push_back({std::move(all)});
  block.push_back({std::move(row)});
  block.push_back({std::move(loop)});
  return block;
}

// Blocks of several squares each way, so that lines are read on and on, and written while they are
// at hand.
ir::Block Transpose::inBlocks(const ir::StructuredOp& op, const std::string& across) {
  int64_t width = lanes(op);
  return tiles(op, onThreads(op, across, numbers_.transposeSquares * width),
               [&](const Tile&, const Tile& block) {
                 return tiles(block.op, {across, constant(width)},
                              [&](const Tile& rows, const Tile& columns) {
                                return strategy::transposeTile(
                                    builder_, columns.op, {across, size(rows.size), width},
                                    {axis_, size(columns.size), width}, target_);
                              });
               });
}

// `op` is that of tiles of both sizes; what follows in the lines that it reads is asked for, too.
ir::Block Transpose::transposeTile(const ir::StructuredOp& op, const Side& rows,
                                   const Side& columns) {
  ir::StructuredOp tile = op;
  tile.ahead = ir::Ahead{rows.iterator,
                         numbers_.transposeAhead / numbers_.cacheLine * cacheLine(op), isFar()};
  return strategy::transposeTile(builder_, std::move(tile), rows, columns, target_);
}

bool Transpose::follow(const ir::StructuredOp& op, const std::string& across, size_t dims) const {
  return std::all_of(op.inputs.begin(), op.inputs.end(), [&](const ir::Operand& input) {
    size_t rank = input.map.size();
    return !isTransposed(input, across) ||
           (rank > dims && input.map[rank - dims - 1].asIterator() == axis_ &&
            bytesOf(input) == bytesOf(op.outputs[0]));
  });
}

bool Transpose::isTransposed(const ir::Operand& input, const std::string& across) const {
  return !input.map.empty() && input.map.back().asIterator() == across && has(input, axis_);
}

// Tiles of one size along another iterator and along the axis.
ir::Block Transpose::tiles(const ir::StructuredOp& op, const transforms::Tiling& across,
                           const std::function<ir::Block(const Tile&, const Tile&)>& inside) {
  return only(transforms::tile(builder_, op, across, [&](const Tile& rows) {
    return only(transforms::tile(builder_, rows.op, {axis_, across.step},
                                 [&](const Tile& columns) { return inside(rows, columns); }));
  }));
}

}  // namespace einc::strategy
