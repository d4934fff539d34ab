// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Transposes whose output lines begin anywhere. Squares are turned into a stage of as many lines as
// a square has. In front of each line stand the last positions of the square before it, which have
// waited; from there to the end of the stage there are whole cache lines of the output, wherever it
// begins:
//
//   stage, one line:  | waiting | turned just now  |
//   to memory:             |  line  |  line  |        what is left waits
//
// Memory is read as it lies, as many lines at a time as the CPU looks ahead in, and nothing twice;
// written are whole cache lines, but for the ends of each stretch. (Measured on a Xeon, 8001 x
// 8399, f32: 0.35 of the bandwidth of copies in tiles of 128 x 512 without what waits, 0.75 so.)
#include <algorithm>
#include <utility>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/layout.h"
#include "compiler/strategy/model.h"
#include "compiler/strategy/turns.h"
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
using Kind = ir::Condition::Kind;

namespace {

// Lines of the input that are read at a time; fewer, if they are known to share sets of the first
// cache.
constexpr int64_t kRead = 32, kReadApart = 16;
// Lines of the output that are taken in turn: what waits of them stays in the second cache, or in
// the first. (Measured on Zen 5, 8191 x 8193, f32, whose lines share a set: 16 GB/s with 32 lines
// and 2048, 25 with 16 and 2048, 35 with 16 and 256; of 90 x 91 x 92 x 93, which do not, 40, 32
// and 30.)
constexpr int64_t kWaiting = 2048, kWaitingApart = 256;
// Positions along a line of the output, after which it ends in a part of a cache line.
constexpr int64_t kStretch = 4096;
// Bytes of the input that are asked for early.
constexpr int64_t kAhead = 256;

int64_t bytesOf(const ir::Tensor& tensor) { return ir::info(tensor.type).bytes(); }

}  // namespace

Turns::Lines Turns::linesOf(const ir::StructuredOp& op, const std::string& across) {
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

// Positions of a cache line of the output, and how many are turned at a time.
int64_t Turns::cacheLine(const ir::StructuredOp& op) const {
  return kCacheLine / bytesOf(builder_.kernel().tensors[op.outputs[0].tensor]);
}
int64_t Turns::turned(const ir::StructuredOp& op) const {
  int64_t line = cacheLine(op);
  return line * std::max<int64_t>(1, (shareSets_ ? kReadApart : kRead) / line);
}

// Whether the first cache is known to have no room for a line of each line of the input that is
// read at a time.
bool Turns::shareSets(const ir::StructuredOp& op) const {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const ir::Operand& input) {
    if (input.shapeOnly || !has(input, axis_)) return false;
    auto apart = bytesApart(builder_.kernel(), input, axis_);
    return apart && rowsInCache(target_, *apart) < kRead;
  });
}

int64_t Turns::waiting() const { return shareSets_ ? kWaitingApart : kWaiting; }

ir::Block Turns::joined(const ir::StructuredOp& op, const std::string& across) {
  auto through = [&](const ir::StructuredOp& inner) { return squares(inner, across); };
  auto test = whereLarge(op);
  Lines lines = linesOf(op, across);
  // What is read as it is written has lines of another kind.
  bool mixed = std::any_of(op.inputs.begin(), op.inputs.end(), [&](const ir::Operand& input) {
    return !input.map.empty() && input.map.back().asIterator() == axis_ && has(input, across);
  });
  if (!test || mixed || lines.along.empty() || lines.across.empty())
    return outer(op, {across, axis_}, through, /*loopsOnThreads=*/true);
  ir::Block block;
  ir::StructuredOp flat = op;
  std::string rows = collapse(builder_, flat, lines.across, block);
  std::string columns = collapse(builder_, flat, lines.along, block);
  for (size_t i = 0; i < flat.operandCount(); ++i) {
    const ir::Operand& operand = flat.operand(i);
    const std::string& line = i >= flat.inputs.size() ? columns : rows;
    if (operand.tensor != op.operand(i).tensor && has(operand, line))
      test->conditions.push_back({Kind::Unit, {}, {}, operand.tensor, dimOf(operand, line)});
  }
  shareSets_ = shareSets(op);
  // Shorter lines are mostly ends.
  int64_t width = turned(op), line = cacheLine(op);
  Expr length = builder_.extent(flat, columns);
  if (length.asConstant().value_or(2 * width) < 2 * width)
    return outer(op, {across, axis_}, through, /*loopsOnThreads=*/true);
  test->conditions.push_back({Kind::LessEqual, constant(2 * width), length});
  std::string plain = std::exchange(axis_, columns);
  ir::ScalarType type = builder_.kernel().tensors[op.outputs[0].tensor].type;
  auto buffer = [&](const std::string& name, int64_t height, int64_t length) {
    return builder_.tensor(name, type, {constant(height), constant(length)}, ir::Role::Local);
  };
  Buffers buffers{buffer("stage", lanes(op), line + width), buffer("waiting", waiting(), line)};
  if (options_.threads == 1) test->then = allocs(buffers);
  ir::Block around = outer(
      flat, {rows, columns},
      [&](const ir::StructuredOp& inner) { return stretches(inner, rows, buffers, lines); },
      /*loopsOnThreads=*/true);
  test->then.push_back({ir::Stream{op.outputs[0].tensor, std::move(around)}});
  axis_ = plain;
  test->otherwise = outer(op, {across, axis_}, through, /*loopsOnThreads=*/true);
  block.push_back({std::move(*test)});
  return block;
}

ir::Block Turns::allocs(const Buffers& buffers) {
  ir::Block block;
  block.push_back({ir::Alloc{buffers.stage, ir::Space::Stack}});
  block.push_back({ir::Alloc{buffers.waiting}});
  return block;
}

// Each of both loops may be the one on threads: there may be few lines, or short ones.
ir::Block Turns::stretches(const ir::StructuredOp& op, const std::string& rows,
                           const Buffers& buffers, const Lines& lines) {
  auto tables = [&](const ir::StructuredOp& on, const std::string& iterator, int64_t length,
                    bool outputs, ir::Block& block) {
    for (size_t i = 0; i < on.operandCount(); ++i)
      if ((i >= on.inputs.size()) == outputs && has(on.operand(i), iterator))
        offsetTable(builder_, on.operand(i), iterator, length, block);
  };
  return only(transforms::tile(
      builder_, op, onThreads(op, axis_, kStretch, /*outer=*/true), [&](const Tile& some) {
        ir::Block block;
        if (lines.along.size() > 1) tables(some.op, axis_, kStretch, false, block);
        block.push_back(transforms::tile(builder_, some.op, onThreads(some.op, rows, waiting()),
                                         [&](const Tile& part) {
                                           ir::Block inner;
                                           if (options_.threads > 1) inner = allocs(buffers);
                                           if (lines.across.size() > 1)
                                             tables(part.op, rows, waiting(), true, inner);
                                           append(inner, strips(part.op, rows, buffers));
                                           return inner;
                                         }));
        return block;
      }));
}

// Some lines of the input at a time; of the output as many as a square has.
ir::Block Turns::strips(const ir::StructuredOp& op, const std::string& rows,
                        const Buffers& buffers) {
  int64_t height = lanes(op);
  return only(transforms::tile(builder_, op, {axis_, constant(turned(op))}, [&](const Tile& strip) {
    return only(
        transforms::tile(builder_, strip.op, {rows, constant(height)}, [&](const Tile& some) {
          ir::Block block = fill(some, rows, buffers);
          append(block, drain(op, some, rows, {some.origin, strip.origin}, buffers));
          return block;
        }));
  }));
}

// Squares, behind what waits.
ir::Block Turns::fill(const Tile& some, const std::string& rows, const Buffers& buffers) {
  ir::StructuredOp op = some.op;
  int64_t width = lanes(op);
  ir::Block block;
  op.outputs[0] = onStage(op, rows, buffers, builder_.extent(op, axis_), cacheLine(op), block);
  int64_t ahead = kAhead / kCacheLine * cacheLine(op);
  block.push_back(transforms::tile(builder_, op, {axis_, constant(width)}, [&](const Tile& part) {
    return square(part.op, rows, some, part, ir::Ahead{rows, ahead});
  }));
  return block;
}

// The stage from column `first` on, as the operand of (rows, axis).
ir::Operand Turns::onStage(const ir::StructuredOp& op, const std::string& rows,
                           const Buffers& buffers, const Expr& width, int64_t first,
                           ir::Block& block) {
  const ir::Tensor stage = builder_.kernel().tensors[buffers.stage];
  ir::View view{builder_.tensor(stage.name + "_part", stage.type,
                                {builder_.extent(op, rows), width}, ir::Role::View),
                buffers.stage,
                {rows, axis_},
                {at(rows), at(axis_) + constant(first)},
                nullptr};
  block.push_back({view});
  return {view.view, {at(rows), at(axis_)}, nullptr};
}

// `op` is on the lines that are taken in turn, `some` on those of the stage.
ir::Block Turns::drain(const ir::StructuredOp& op, const Tile& some, const std::string& rows,
                       const Place& place, const Buffers& buffers) {
  int64_t line = cacheLine(op), width = turned(op);
  auto lineOf = [&](const ir::StructuredOp& one, ir::Block& block) {
    ir::Lead lead{builder_.name("lead"), one.outputs[0].tensor, 0, kCacheLine};
    block.push_back({lead});
    return size(lead.name);
  };
  auto first = [&](const ir::StructuredOp& one) {
    ir::Block block;
    Expr lead = lineOf(one, block);
    positions(one, constant(0), lead, line, /*whole=*/false, block);
    if (width > line)
      positions(one, lead, constant(width - line), width - line, /*whole=*/true, block);
    return block;
  };
  auto next = [&](const ir::StructuredOp& one) {
    ir::Block block;
    Expr lead = lineOf(one, block);
    positions(one, lead, constant(width), width, /*whole=*/true, block);
    return block;
  };
  auto last = [&](const ir::StructuredOp& one) {
    ir::Block block;
    Expr lead = lineOf(one, block), left = builder_.extent(one, axis_) - lead;
    ir::Bound lines{builder_.name("lines"), {left.floorDiv(constant(line))}};
    block.push_back({lines});
    ir::StructuredOp whole =
        transforms::onPositions(builder_, one, axis_,
                                {{builder_.name("line"), size(lines.name), constant(line)},
                                 {axis_, constant(line), constant(1)}},
                                lead, "_lines", block);
    whole.axes = {{axis_, line}};
    block.push_back({std::move(whole)});
    Expr done = constant(line) * size(lines.name);
    positions(one, lead + done, left - done, line, /*whole=*/false, block);
    return block;
  };
  auto alone = [&](const ir::StructuredOp& one) {
    ir::Block block;
    positions(one, constant(0), builder_.extent(one, axis_), width, /*whole=*/false, block);
    return block;
  };
  auto leave = [&](int64_t waiting, const Expr& count, const Inner& inner) {
    return this->leave(op, some, rows, place, buffers, waiting, count, inner);
  };
  Expr count = builder_.extent(some.op, axis_);
  ir::Block back = wait(op, rows, place, buffers, /*back=*/true);
  ir::Block forth = wait(op, rows, place, buffers, /*back=*/false);
  // The first of several, one of them, the last one, the only one.
  ir::If begins{{{Kind::LessEqual, at(place.position), constant(0)}}, {}, {}};
  ir::If ends = begins;
  begins.then = leave(0, constant(width), first);
  append(begins.then, forth);
  begins.otherwise = back;
  append(begins.otherwise, leave(line, constant(line + width), next));
  append(begins.otherwise, forth);
  ends.then = leave(0, count, alone);
  ends.otherwise = back;
  append(ends.otherwise, leave(line, count + constant(line), last));
  ir::If more{{{Kind::Less, at(place.position) + constant(width), builder_.extent(op, axis_)}},
              only({std::move(begins)}),
              only({std::move(ends)})};
  return only({std::move(more)});
}

// The lines of the stage to the output: `inner` on each, from `waiting` positions before those that
// were turned just now.
ir::Block Turns::leave(const ir::StructuredOp& op, const Tile& some, const std::string& rows,
                       const Place& place, const Buffers& buffers, int64_t waiting,
                       const Expr& count, const Inner& inner) {
  ir::Block block;
  ir::StructuredOp drain = some.op;
  ir::Operand output = op.outputs[0];
  const ir::Tensor base = builder_.kernel().tensors[output.tensor];
  ir::View view{0, output.tensor, {}, {}, nullptr};
  std::vector<Expr> shape;
  for (const std::string& name : transforms::iteratorsOf(output)) {
    view.dims.push_back(name);
    view.map.push_back(name == rows ? at(place.line) + at(name)
                                    : at(place.position) - constant(waiting) + at(name));
    shape.push_back(name == rows ? builder_.extent(some.op, rows) : count);
  }
  view.view = builder_.tensor(base.name + "_part", base.type, std::move(shape), ir::Role::View);
  block.push_back({view});
  output.tensor = view.view;
  drain.inputs = {onStage(some.op, rows, buffers, count, cacheLine(op) - waiting, block)};
  drain.outputs = {output};
  drain.results = {ir::makeValue(base.type, ir::OperandRef{0})};
  append(block, outer(drain, {axis_}, inner));
  return block;
}

// What is left of lines waits, or comes back.
ir::Block Turns::wait(const ir::StructuredOp& op, const std::string& rows, const Place& place,
                      const Buffers& buffers, bool back) {
  int64_t line = cacheLine(op), height = lanes(op);
  ir::ScalarType type = builder_.kernel().tensors[buffers.stage].type;
  ir::Block block;
  auto view = [&](unsigned base, const Expr& first, int64_t column) {
    ir::View part{builder_.tensor(builder_.kernel().tensors[base].name + "_part", type,
                                  {constant(height), constant(line)}, ir::Role::View),
                  base,
                  {rows, axis_},
                  {first + at(rows), at(axis_) + constant(column)},
                  nullptr};
    block.push_back({part});
    return ir::Operand{part.view, {at(rows), at(axis_)}, nullptr};
  };
  ir::Operand waiting = view(buffers.waiting, at(place.line), 0);
  ir::Operand staged = view(buffers.stage, constant(0), back ? 0 : turned(op));
  ir::StructuredOp copy{{{rows, ir::IteratorKind::Parallel}, {axis_, ir::IteratorKind::Parallel}},
                        {back ? waiting : staged},
                        {back ? staged : waiting},
                        {ir::makeValue(type, ir::OperandRef{0})},
                        op.source,
                        {{axis_, line}}};
  block.push_back({std::move(copy)});
  return block;
}

// `count` positions of one line: whole vectors, around the caches; or at most `most`, through them.
void Turns::positions(const ir::StructuredOp& op, const Expr& first, const Expr& count,
                      int64_t most, bool whole, ir::Block& block) {
  ir::StructuredOp part = transforms::onPositions(
      builder_, op, axis_, {{axis_, count, constant(1)}}, first, "_some", block);
  if (whole || target_.hasMasks) part.axes = {{axis_, most}};
  block.push_back({std::move(part)});
}

}  // namespace einc::strategy
