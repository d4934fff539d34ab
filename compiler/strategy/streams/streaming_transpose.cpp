// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Transposes whose output lines begin anywhere. The stage has a line for each line of the output
// that is written in turn. Squares are transposed into its second half; in the first half stand the
// positions before them, which have waited. From the first of these that begins a cache line of the
// output, a whole one goes to memory; then the second half waits:
//
//   stage, one line:  | waiting    | transposed just now |
//   to memory:           | a cache line |
//
// What was transposed is left alone for one step, until the CPU has it in its cache: what is read there
// at another place than it was just written would have to wait for all that is written before it,
// to memory, too. (Measured on Zen 5, by hand, without the ends of lines, 400 times 410 x 420 and
// 8001 x 8399, f32, GB/s: 42 and 36 where 32 lines are transposed and then written; 49 and 42 with that
// step; 51 and 44 joined in registers.)
#include <algorithm>
#include <utility>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/streams/transpose.h"
#include "compiler/strategy/transpose_tile.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

using affine::Expr;
using transforms::append;
using transforms::at;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;
using transforms::Tiling;
using Kind = ir::Condition::Kind;

Transpose::Lines Transpose::linesOf(const ir::StructuredOp& op, const std::string& across) {
  std::vector<std::string> written = transforms::iteratorsOf(op.outputs[0]), read;
  for (const ir::Operand& input : op.inputs)
    if (auto used = transforms::iteratorsOf(input); !used.empty() && used.back() == across)
      read = used;
  Lines lines;
  auto isTaken = [&](const std::string& name) {
    return std::count(lines.along.begin(), lines.along.end(), name) != 0 ||
           std::count(lines.across.begin(), lines.across.end(), name) != 0;
  };
  auto take = [&](std::vector<std::string>& from, std::vector<std::string>& group) {
    bool more = !from.empty() && !isTaken(from.back());
    if (more) {
      group.insert(group.begin(), from.back());
      from.pop_back();
    }
    return more;
  };
  for (bool more = true; more;) {
    bool one = take(written, lines.along), other = take(read, lines.across);
    more = one || other;
  }
  // What only some operands have ends a line.
  auto cut = [&](std::vector<std::string>& group) {
    for (size_t i = 0; i < op.operandCount(); ++i) {
      const ir::Operand& operand = op.operand(i);
      while (group.size() > 1 && has(operand, group.front()) != has(operand, group.back()))
        group.erase(group.begin());
    }
  };
  cut(lines.along);
  cut(lines.across);
  return lines;
}

ir::Block Transpose::throughStage(const ir::StructuredOp& op, const std::string& across,
                                  std::vector<ir::Condition> whereLarge) {
  auto through = [&](const ir::StructuredOp& inner) { return inBlocks(inner, across); };
  ir::If test{std::move(whereLarge), {}, {}};
  Lines lines = linesOf(op, across);
  // What is read as it is written has lines of another kind.
  bool mixed = std::any_of(op.inputs.begin(), op.inputs.end(), [&](const ir::Operand& input) {
    return !input.map.empty() && input.map.back().asIterator() == axis_ && has(input, across);
  });
  if (mixed || lines.along.empty() || lines.across.empty())
    return outer(op, {across, axis_}, through, /*loopsOnThreads=*/true);
  ir::Block block;
  ir::StructuredOp flat = op;
  std::string rows = collapse(builder_, flat, lines.across, block);
  std::string columns = collapse(builder_, flat, lines.along, block);
  for (size_t i = 0; i < flat.operandCount(); ++i) {
    const ir::Operand& operand = flat.operand(i);
    const std::string& line = i >= flat.inputs.size() ? columns : rows;
    if (operand.tensor != op.operand(i).tensor && has(operand, line))
      test.conditions.push_back({Kind::Unit, {}, {}, operand.tensor, dimOf(operand, line)});
  }
  // Shorter lines are mostly ends.
  int64_t line = cacheLine(op), shortest = numbers_.stageShortest * line;
  Expr length = builder_.extent(flat, columns), count = builder_.extent(flat, rows);
  if (length.asConstant().value_or(shortest) < shortest)
    return outer(op, {across, axis_}, through, /*loopsOnThreads=*/true);
  test.conditions.push_back({Kind::LessEqual, constant(shortest), length});
  follow_ = lines.along.size() == 1 && follow(op, across, lines.across.size());
  std::string plain = std::exchange(axis_, columns);
  int64_t height = count.asConstant().value_or(numbers_.stageLines);
  stage_ = builder_.tensor(
      "stage", builder_.kernel().tensors[op.outputs[0].tensor].type,
      {constant(height <= numbers_.stageLines ? height : stageLines()), constant(2 * line)},
      ir::Role::Local);
  if (options_.threads == 1) test.then = only({ir::Alloc{stage_}});
  ir::Block around = outer(
      flat, {rows, columns},
      [&](const ir::StructuredOp& inner) { return stretches(inner, rows, lines); },
      /*loopsOnThreads=*/true);
  test.then.push_back({ir::NonTemporal{op.outputs[0].tensor, std::move(around)}});
  axis_ = plain;
  test.otherwise = outer(op, {across, axis_}, through, /*loopsOnThreads=*/true);
  block.push_back({std::move(test)});
  return block;
}

int64_t Transpose::stageLines() const {
  return follow_ ? numbers_.stageLinesAsRead : numbers_.stageLines;
}

// Each of both loops may be the one on threads: there may be few lines, or short ones.
ir::Block Transpose::stretches(const ir::StructuredOp& op, const std::string& rows,
                               const Lines& lines) {
  auto tables = [&](const ir::StructuredOp& on, const std::string& iterator, int64_t length,
                    bool outputs, ir::Block& block) {
    for (size_t i = 0; i < on.operandCount(); ++i)
      if ((i >= on.inputs.size()) == outputs && has(on.operand(i), iterator))
        offsetTable(builder_, on.operand(i), iterator, length, block);
  };
  Tiling stretch = onThreads(op, axis_, numbers_.stageStretch, /*outer=*/true);
  return only(transforms::tile(builder_, op, stretch, [&](const Tile& some) {
    ir::Block block;
    if (lines.along.size() > 1) tables(some.op, axis_, numbers_.stageStretch, false, block);
    Tiling parts{rows, choose(builder_.extent(some.op, rows), numbers_.stageLines,
                              numbers_.stageLines, stageLines(), block)};
    parts = amongThreads(builder_, options_.threads, some.op, parts, numbers_.elementsPerThread);
    block.push_back(transforms::tile(builder_, some.op, parts, [&](const Tile& part) {
      ir::Block inner;
      if (options_.threads > 1) inner = only({ir::Alloc{stage_}});
      if (lines.across.size() > 1) tables(part.op, rows, numbers_.stageLines, true, inner);
      append(inner, strips(part.op, rows));
      return inner;
    }));
    return block;
  }));
}

// Squares are transposed, and what was transposed one step before is written; strip after strip, as some of
// each waits for the next.
ir::Block Transpose::strips(const ir::StructuredOp& op, const std::string& rows) {
  Expr width = constant(lanes(op)), all = builder_.extent(op, rows);
  Tiling tiling{axis_, constant(cacheLine(op))};
  ir::Stmt inOrder = transforms::tile(builder_, op, tiling, [&](const Tile& strip) {
    ir::TileLoop loop =
        transforms::tileLoop(builder_, rows + "0", all + width, width, ir::IteratorKind::Reduction);
    Expr from = at(loop.var);
    ir::Bound some{builder_.name("some"), {width, all - from}};
    ir::Block now = only({some});
    append(now, fill(op, strip, {rows, from, size(some.name), at(strip.origin)}));
    Place before{rows, from - width, size(loop.size), at(strip.origin)};
    ir::Block then = drain(op, builder_.extent(strip.op, axis_), before);
    loop.body.push_back({ir::If{{{Kind::Less, from, all}}, std::move(now), {}}});
    loop.body.push_back({ir::If{{{Kind::Less, constant(0), from}}, std::move(then), {}}});
    return only({std::move(loop)});
  });
  std::get<ir::TileLoop>(inOrder.node).kind = ir::IteratorKind::Reduction;
  return only(std::move(inOrder));
}

// Squares, behind what waits.
ir::Block Transpose::fill(const ir::StructuredOp& op, const Tile& strip, const Place& place) {
  int64_t width = lanes(op), line = cacheLine(op);
  ir::Block block = ask(op, place.rows, at(strip.origin) + constant(line), place.line, width);
  ir::StructuredOp some =
      transforms::onPositions(builder_, strip.op, place.rows,
                              {{place.rows, place.lines, constant(1)}}, place.line, "_some", block);
  some.outputs[0] = onStage(place, builder_.extent(some, axis_), line, block);
  block.push_back(transforms::tile(builder_, some, {axis_, constant(width)}, [&](const Tile& part) {
    return transposeTile(part.op, {place.rows, place.lines, width},
                         {axis_, size(part.size), width});
  }));
  return block;
}

// Those lines of the stage from column `first` on, as the operand of (rows, axis).
ir::Operand Transpose::onStage(const Place& place, const Expr& width, int64_t first,
                               ir::Block& block) {
  const ir::Tensor stage = builder_.kernel().tensors[stage_];
  ir::View view{builder_.tensor("stage_part", stage.type, {place.lines, width}, ir::Role::View),
                stage_,
                {place.rows, axis_},
                {place.line + at(place.rows), at(axis_) + constant(first)},
                nullptr};
  block.push_back({view});
  return {view.view, {at(place.rows), at(axis_)}, nullptr};
}

// `count` positions of each line were transposed into the stage.
ir::Block Transpose::drain(const ir::StructuredOp& op, const Expr& count, const Place& place) {
  int64_t line = cacheLine(op);
  auto first = [&](const ir::StructuredOp& one) {
    ir::Block block;
    Expr from = lead(one, block);
    positions(one, constant(0), from, line, /*whole=*/false, block);
    return block;
  };
  auto next = [&](const ir::StructuredOp& one) {
    ir::Block block;
    Expr from = lead(one, block);
    positions(one, from, constant(line), line, /*whole=*/true, block);
    append(block, wait(one));
    return block;
  };
  auto alone = [&](const ir::StructuredOp& one) {
    ir::Block block;
    positions(one, constant(0), builder_.extent(one, axis_), line, /*whole=*/false, block);
    return block;
  };
  auto leave = [&](int64_t waiting, const Expr& length, const Inner& inner) {
    return this->leave(op, place, waiting, length, inner);
  };
  // The first of several strips, one of them, the last one, the only one.
  ir::If begins{{{Kind::LessEqual, place.position, constant(0)}}, {}, {}};
  ir::If ends = begins;
  begins.then = leave(0, constant(line), first);
  append(begins.then,
         leave(line, constant(2 * line), [&](const ir::StructuredOp& one) { return wait(one); }));
  begins.otherwise = leave(line, constant(2 * line), next);
  ends.then = leave(0, count, alone);
  ends.otherwise =
      leave(line, count + constant(line), [&](const ir::StructuredOp& one) { return last(one); });
  ir::If more{{{Kind::Less, place.position + constant(line), builder_.extent(op, axis_)}},
              only({std::move(begins)}),
              only({std::move(ends)})};
  return only({std::move(more)});
}

// How far it is to the first cache line.
Expr Transpose::lead(const ir::StructuredOp& one, ir::Block& block) {
  ir::Lead lead{builder_.name("lead"), one.outputs[0].tensor, 0, numbers_.cacheLine};
  block.push_back({lead});
  return size(lead.name);
}

// Of what is left of a line, whole cache lines, and the rest.
ir::Block Transpose::last(const ir::StructuredOp& one) {
  int64_t line = cacheLine(one);
  ir::Block block;
  Expr from = lead(one, block), left = builder_.extent(one, axis_) - from;
  ir::Bound lines{builder_.name("lines"), {left.floorDiv(constant(line))}};
  block.push_back({lines});
  ir::StructuredOp whole =
      transforms::onPositions(builder_, one, axis_,
                              {{builder_.name("line"), size(lines.name), constant(line)},
                               {axis_, constant(line), constant(1)}},
                              from, "_lines", block);
  whole.axes = {{axis_, line}};
  block.push_back({std::move(whole)});
  Expr done = constant(line) * size(lines.name);
  positions(one, from + done, left - done, line, /*whole=*/false, block);
  return block;
}

// Lines of the stage to the output: `inner` on each, from `waiting` positions before those that
// were transposed just now.
ir::Block Transpose::leave(const ir::StructuredOp& op, const Place& place, int64_t waiting,
                           const Expr& count, const Inner& inner) {
  ir::Block block;
  ir::StructuredOp drain = op;
  ir::Operand output = op.outputs[0];
  const ir::Tensor base = builder_.kernel().tensors[output.tensor];
  ir::View view{0, output.tensor, {}, {}, nullptr};
  std::vector<Expr> shape;
  for (const std::string& name : transforms::iteratorsOf(output)) {
    bool isLine = name == place.rows;
    view.dims.push_back(name);
    view.map.push_back(at(name) + (isLine ? place.line : place.position - constant(waiting)));
    shape.push_back(isLine ? place.lines : count);
  }
  view.view = builder_.tensor(base.name + "_part", base.type, std::move(shape), ir::Role::View);
  block.push_back({view});
  output.tensor = view.view;
  drain.inputs = {onStage(place, count, cacheLine(op) - waiting, block)};
  drain.outputs = {output};
  drain.results = {ir::makeValue(base.type, ir::OperandRef{0})};
  block.push_back(transforms::tile(builder_, drain, {place.rows, constant(1)},
                                   [&](const Tile& one) { return inner(one.op); }));
  return block;
}

// The second half of a line of the stage becomes the first.
ir::Block Transpose::wait(const ir::StructuredOp& op) {
  int64_t line = cacheLine(op);
  ir::ScalarType type = builder_.kernel().tensors[stage_].type;
  ir::Block block;
  auto half = [&](int64_t first) {
    ir::View view{builder_.tensor("stage_half", type, {constant(line)}, ir::Role::View),
                  op.inputs[0].tensor,
                  {axis_},
                  {at(axis_) + constant(first)},
                  nullptr};
    block.push_back({view});
    return ir::Operand{view.view, {at(axis_)}, nullptr};
  };
  ir::Operand transposed = half(line), waiting = half(0);
  ir::StructuredOp copy{{{axis_, ir::IteratorKind::Parallel}},    {transposed}, {waiting},
                        {ir::makeValue(type, ir::OperandRef{0})}, op.source,    {{axis_, line}}};
  block.push_back({std::move(copy)});
  return block;
}

// `count` positions of one line: whole vectors, around the caches; or at most `most`, through them.
void Transpose::positions(const ir::StructuredOp& op, const Expr& first, const Expr& count,
                          int64_t most, bool whole, ir::Block& block) {
  ir::StructuredOp part = transforms::onPositions(
      builder_, op, axis_, {{axis_, count, constant(1)}}, first, "_some", block);
  if (whole || target_.hasMasks) part.axes = {{axis_, most}};
  block.push_back({std::move(part)});
}

}  // namespace einc::strategy
