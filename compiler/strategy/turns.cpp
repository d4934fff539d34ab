// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/turns.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/collapse.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

using affine::Expr;
using transforms::at;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;

namespace {

// Of what is turned at a time, lines of the inputs and of the output.
constexpr int64_t kStagedRows = 128, kStagedColumns = 512;
// Lines of the buffer begin in different sets of the cache.
constexpr int64_t kStagedGap = 16;

}  // namespace

// Where lines of the output begin at whole vectors, those of two squares at a time go around the
// caches, while as many lines of the input are read as the CPU looks ahead in.
ir::Block Turns::run(const ir::StructuredOp& op, const std::string& across) {
  auto through = [&](const ir::StructuredOp& inner) { return squares(inner, across); };
  auto test = whereLarge(op);
  if (!test) return outer(op, {across, axis_}, through);
  const ir::Operand& output = op.outputs[0];
  test->conditions.push_back({ir::Condition::Kind::Aligned,
                              constant(target_.vectorBytes),
                              {},
                              output.tensor,
                              dimOf(output, axis_)});
  int64_t width = lanes(op);
  ir::Block around = outer(op, {across, axis_}, [&](const ir::StructuredOp& inner) {
    return only(
        transforms::tile(builder_, inner, tiling(inner, axis_, 2 * width), [&](const Tile& block) {
          return tiles(block.op, across, width, [&](const Tile& rows, const Tile& columns) {
            return square(columns.op, across, rows, columns);
          });
        }));
  });
  test->then = only({ir::Stream{output.tensor, std::move(around)}});
  onThreads_ = false;  // another form begins; threads would need a buffer each
  test->otherwise = options_.threads > 1 ? outer(op, {across, axis_}, through) : staged(op, across);
  return only({std::move(*test)});
}

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

// Tiles are turned into a buffer, from which whole lines go around the caches.
ir::Block Turns::staged(const ir::StructuredOp& op, const std::string& across) {
  auto through = [&](const ir::StructuredOp& inner) { return squares(inner, across); };
  auto test = whereLarge(op);
  Lines lines = linesOf(op, across);
  if (lines.along.empty() || lines.across.empty()) return outer(op, {across, axis_}, through);
  ir::Block block;
  ir::StructuredOp flat = op;
  std::string rows = collapse(builder_, flat, lines.across, block);
  std::string columns = collapse(builder_, flat, lines.along, block);
  for (size_t i = 0; i < flat.operandCount(); ++i) {
    const ir::Operand& operand = flat.operand(i);
    bool isOutput = i >= flat.inputs.size();
    const std::string& line = isOutput ? columns : rows;
    if (operand.tensor != op.operand(i).tensor && has(operand, line))
      test->conditions.push_back(
          {ir::Condition::Kind::Unit, {}, {}, operand.tensor, dimOf(operand, line)});
  }
  std::string plain = axis_;
  axis_ = columns;
  unsigned buffer = builder_.tensor("turned", builder_.kernel().tensors[op.outputs[0].tensor].type,
                                    {constant(kStagedRows), constant(kStagedColumns + kStagedGap)},
                                    ir::Role::Local);
  test->then = only({ir::Alloc{buffer}});
  test->then.push_back(
      {ir::Stream{op.outputs[0].tensor, outer(flat, {rows, columns}, [&](const auto& inner) {
                    return stagedTiles(inner, rows, buffer, lines);
                  })}});
  axis_ = plain;
  test->otherwise = outer(op, {across, axis_}, through);
  block.push_back({std::move(*test)});
  return block;
}

ir::Block Turns::stagedTiles(const ir::StructuredOp& op, const std::string& rows, unsigned buffer,
                             const Lines& lines) {
  auto tables = [&](const ir::StructuredOp& on, const std::string& iterator, int64_t length,
                    bool outputs, ir::Block& block) {
    for (size_t i = 0; i < on.operandCount(); ++i)
      if ((i >= on.inputs.size()) == outputs && has(on.operand(i), iterator))
        offsetTable(builder_, on.operand(i), iterator, length, block);
  };
  return only(
      transforms::tile(builder_, op, {axis_, constant(kStagedColumns)}, [&](const Tile& some) {
        ir::Block block;
        if (lines.along.size() > 1) tables(some.op, axis_, kStagedColumns, false, block);
        block.push_back(transforms::tile(
            builder_, some.op, {rows, constant(kStagedRows)}, [&](const Tile& part) {
              ir::Block inner;
              if (lines.across.size() > 1) tables(part.op, rows, kStagedRows, true, inner);
              fillAndDrain(part.op, rows, size(part.size), size(some.size), buffer, inner);
              return inner;
            }));
        return block;
      }));
}

void Turns::fillAndDrain(const ir::StructuredOp& op, const std::string& rows, const Expr& height,
                         const Expr& width, unsigned buffer, ir::Block& block) {
  const ir::Tensor stage = builder_.kernel().tensors[buffer];
  ir::View view{builder_.tensor(stage.name + "_tile", stage.type, {height, width}, ir::Role::View),
                buffer,
                {rows, axis_},
                {at(rows), at(axis_)},
                nullptr};
  ir::Operand staged{view.view, {at(rows), at(axis_)}, nullptr};
  block.push_back({view});
  ir::StructuredOp fill = op, drain = op;
  fill.outputs[0] = staged;
  drain.inputs = {staged};
  drain.results = {ir::makeValue(stage.type, ir::OperandRef{0})};
  Expr lane = constant(lanes(op));
  block.push_back(transforms::tile(builder_, fill, {axis_, lane}, [&](const Tile& columns) {
    return only(transforms::tile(builder_, columns.op, {rows, lane}, [&](const Tile& some) {
      return square(some.op, rows, some, columns);
    }));
  }));
  for (ir::Stmt& stmt : outer(drain, {axis_}, [&](const auto& inner) { return line(inner); }))
    block.push_back(std::move(stmt));
}

// Blocks of several squares each way, so that whole cache lines and few pages are in use at once.
ir::Block Turns::squares(const ir::StructuredOp& op, const std::string& across) {
  int64_t width = lanes(op);
  return tiles(op, across, 4 * width, [&](const Tile&, const Tile& block) {
    return tiles(block.op, across, width, [&](const Tile& rows, const Tile& columns) {
      return square(columns.op, across, rows, columns);
    });
  });
}

// `op` is that of tiles of both sizes.
ir::Block Turns::square(const ir::StructuredOp& op, const std::string& across, const Tile& rows,
                        const Tile& columns) {
  ir::StructuredOp whole = op;
  int64_t width = lanes(whole);
  whole.axes = {{across, width}, {axis_, width}};
  ir::If test{{{ir::Condition::Kind::Equal, size(rows.size), constant(width)},
               {ir::Condition::Kind::Equal, size(columns.size), constant(width)}},
              only({whole}),
              target_.hasMasks ? only({whole}) : only({op})};
  return only({std::move(test)});
}

// Tiles of one size along `across` and along the axis.
ir::Block Turns::tiles(const ir::StructuredOp& op, const std::string& across, int64_t width,
                       const std::function<ir::Block(const Tile&, const Tile&)>& inside) {
  return only(transforms::tile(builder_, op, tiling(op, across, width), [&](const Tile& rows) {
    return only(transforms::tile(builder_, rows.op, {axis_, constant(width)},
                                 [&](const Tile& columns) { return inside(rows, columns); }));
  }));
}

}  // namespace einc::strategy
