// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/write_back.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/plan/packing.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {
namespace {

using transforms::append;
using transforms::at;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;
using Kind = ir::Condition::Kind;

class Writer {
 public:
  Writer(transforms::Builder& builder, const WriteBack& how) : builder_(builder), how_(how) {}

  OnScratch run(ir::StructuredOp& op, const affine::Expr& rows, const affine::Expr& columns) {
    OnScratch result;
    for (ir::Operand& output : op.outputs) {
      unsigned buffer = scratch(output.tensor, result.before);
      ir::Operand whole{buffer, {at(how_.m), at(how_.n)}, nullptr};
      if (how_.combiner)
        append(result.before, filled(whole));
      else
        append(result.before, copy(padded(output), whole, output));
      unsigned part = builder_.tensor("part", builder_.kernel().tensors[buffer].type,
                                      {rows, columns}, ir::Role::View);
      result.after.push_back(
          {ir::View{part, buffer, {how_.m, how_.n}, {at(how_.m), at(how_.n)}, nullptr}});
      ir::Operand sums{part, {at(how_.m), at(how_.n)}, nullptr};
      append(result.after, how_.combiner ? add(sums, output) : copy(sums, output, output));
      output = whole;
    }
    return result;
  }

  // `outside`: the operand that is not scratch.
  ir::Block asItSuits(const ir::StructuredOp& op, const ir::Operand& outside) {
    return only({ir::If{{unit(outside, how_.m)},
                        byTransposing(op),
                        byRowsOrPieces(op, outside, op.inputs[0].tensor == outside.tensor)}});
  }

 private:
  unsigned scratch(unsigned like, ir::Block& block) {
    ir::ScalarType type = builder_.kernel().tensors[like].type;
    unsigned buffer = builder_.tensor(
        "scratch", type, {constant(how_.rows), constant(how_.columns)}, ir::Role::Local);
    block.push_back({ir::Alloc{buffer, ir::Space::Stack}});
    return buffer;
  }

  ir::Operand padded(ir::Operand output) const {
    output.pad = ir::makeLiteral(builder_.kernel().tensors[output.tensor].type, ir::Number{});
    return output;
  }

  ir::StructuredOp over() const {
    ir::StructuredOp op;
    op.iterators = {{how_.m, ir::IteratorKind::Parallel}, {how_.n, ir::IteratorKind::Parallel}};
    return op;
  }

  ir::Block filled(const ir::Operand& whole) const {
    ir::StructuredOp op = over();
    op.outputs = {whole};
    op.results = {
        transforms::neutral(*how_.combiner, builder_.kernel().tensors[whole.tensor].type)};
    op.axes = {{how_.n, how_.columns}};
    return only({std::move(op)});
  }

  // to = from, or, with a combiner, to + from.
  ir::StructuredOp transfer(const ir::Operand& from, const ir::Operand& to,
                            std::optional<ir::Function> combiner, ir::Block& block) {
    ir::ScalarType type = builder_.kernel().tensors[from.tensor].type;
    ir::StructuredOp op = over();
    op.inputs = {from};
    op.outputs = {to};
    ir::ValueRef value = ir::makeValue(type, ir::OperandRef{0});
    if (combiner) value = ir::makeCall(*combiner, {ir::makeValue(type, ir::OperandRef{1}), value});
    op.results = {std::move(value)};
    transforms::canonicalize(builder_, op, block);
    return op;
  }

  ir::Condition unit(const ir::Operand& operand, const std::string& iterator) const {
    return {Kind::Unit, {}, {}, operand.tensor, dimOf(operand, iterator)};
  }

  ir::Block byRows(ir::StructuredOp op) const {
    op.axes = {{how_.n, how_.columns}};
    return only({std::move(op)});
  }

  ir::Block byRowsOrPieces(const ir::StructuredOp& op, const ir::Operand& outside, bool input) {
    if (how_.isStrided) return byPieces(op, input);
    return only({ir::If{{unit(outside, how_.n)}, byRows(op), byPieces(op, input)}});
  }

  ir::Block oneByOne(const ir::StructuredOp& op) {
    return only({ir::Outline{builder_.name("strided"), only({op})}});
  }

  // With masks all rows at once, also where some do not exist.
  ir::Block byTransposing(const ir::StructuredOp& op) {
    int64_t square = std::min<int64_t>(how_.lanes, how_.rows & -how_.rows);
    if (square < 2) return oneByOne(op);
    if (how_.masks)
      return only(
          transforms::tile(builder_, op, {how_.n, constant(square)}, [&](const Tile& columns) {
            ir::StructuredOp squares = columns.op;
            squares.axes = {{how_.m, how_.rows}, {how_.n, square}};
            return only({std::move(squares)});
          }));
    auto equals = [&](const std::string& left) {
      return ir::Condition{Kind::Equal, size(left), constant(square)};
    };
    return only(transforms::tile(builder_, op, {how_.m, constant(square)}, [&](const Tile& outer) {
      return only(
          transforms::tile(builder_, outer.op, {how_.n, constant(square)}, [&](const Tile& inner) {
            ir::StructuredOp squares = inner.op;
            squares.axes = {{how_.m, square}, {how_.n, square}};
            return only({ir::If{
                {equals(outer.size), equals(inner.size)}, only({squares}), only({inner.op})}});
          }));
    }));
  }

  // `outside` is the input that is not scratch, or else the output.
  ir::Block byPieces(const ir::StructuredOp& op, bool input) {
    if (how_.piece < 2) return oneByOne(op);
    return only(
        transforms::tile(builder_, op, {how_.n, constant(how_.piece)}, [&](const Tile& piece) {
          const ir::Operand& outside = input ? piece.op.inputs[0] : piece.op.outputs[0];
          ir::StructuredOp vector = piece.op;
          vector.axes = {{how_.n, axisOfPiece(how_.piece, how_.masks)}};
          ir::If test{
              {{Kind::Equal, size(piece.size), constant(how_.piece)}, unit(outside, how_.n)},
              only({std::move(vector)}),
              only({piece.op})};
          return only({std::move(test)});
        }));
  }

  ir::Block copy(const ir::Operand& from, const ir::Operand& to, const ir::Operand& outside) {
    ir::Block block;
    append(block, asItSuits(transfer(from, to, std::nullopt, block), outside));
    return block;
  }

  ir::Block add(const ir::Operand& sums, const ir::Operand& output) {
    ir::Block block;
    append(block, asItSuits(transfer(sums, output, how_.combiner, block), output));
    return block;
  }

  transforms::Builder& builder_;
  const WriteBack& how_;
};

}  // namespace

OnScratch onScratch(transforms::Builder& builder, ir::StructuredOp& op, const WriteBack& how,
                    const affine::Expr& rows, const affine::Expr& columns) {
  return Writer(builder, how).run(op, rows, columns);
}

ir::Block writtenBack(transforms::Builder& builder, ir::StructuredOp op, const WriteBack& how) {
  op.axes.clear();
  const ir::Operand output = op.outputs[0];
  return Writer(builder, how).asItSuits(op, output);
}

}  // namespace einc::strategy
