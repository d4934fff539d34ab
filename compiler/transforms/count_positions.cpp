// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/count_positions.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Expr;
using ir::Function;
using ir::ScalarType;

ir::ValueRef number(ScalarType type, int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  return ir::makeLiteral(type, {0, type == ScalarType::I32 ? bits & UINT32_MAX : bits});
}
ir::ValueRef position(const Expr& e) { return ir::makeValue(ScalarType::I64, ir::IndexRef{e}); }

// Of sums and products of positions and sizes.
std::optional<Expr> placeOf(const ir::ValueRef& value) {
  if (const auto* index = std::get_if<ir::IndexRef>(&value->node)) return index->index;
  const auto* call = std::get_if<ir::Call>(&value->node);
  if (!call || call->args.size() != 2 || value->type != ScalarType::I64) return std::nullopt;
  const auto left = placeOf(call->args[0]), right = placeOf(call->args[1]);
  if (!left || !right) return std::nullopt;
  std::optional<Expr> place;
  if (call->function == Function::Add) place = *left + *right;
  if (call->function == Function::Mul && !(left->hasIterators() && right->hasIterators()))
    place = *left * *right;
  return place && !place->overflowed() ? place : std::nullopt;
}

// How results use a position.
class Use {
 public:
  Use(const ir::StructuredOp& op, size_t output)
      : op_(op), output_(output), operand_(static_cast<unsigned>(op.inputs.size() + output)) {}

  // That of the term, if the position is only moved, and compared with it.
  std::optional<Expr> place() {
    isGood_ = op_.results[output_]->type == ScalarType::I64;
    for (size_t i = 0; i < op_.results.size() && isGood_; ++i)
      i == output_ ? moved(op_.results[i]) : compared(op_.results[i]);
    return isGood_ ? place_ : std::nullopt;
  }

  // The results with a counter in its place.
  std::vector<ir::ValueRef> counted(const std::string& block) const {
    std::vector<ir::ValueRef> results;
    for (size_t i = 0; i < op_.results.size(); ++i)
      results.push_back(i == output_ ? movedCounter(op_.results[i], block)
                                     : withCounter(op_.results[i]));
    return results;
  }

 private:
  bool isOld(const ir::ValueRef& value) const {
    const auto* ref = std::get_if<ir::OperandRef>(&value->node);
    return ref && ref->operand == operand_;
  }
  static const ir::Call* selectOf(const ir::ValueRef& value) {
    const auto* call = std::get_if<ir::Call>(&value->node);
    return call && call->function == Function::Select ? call : nullptr;
  }

  void moved(const ir::ValueRef& value) {
    if (isOld(value)) return;
    if (const ir::Call* select = selectOf(value)) {
      compared(select->args[0]);
      moved(select->args[1]);
      moved(select->args[2]);
      return;
    }
    taken(value);
  }
  void taken(const ir::ValueRef& value) {
    const auto place = placeOf(value);
    isGood_ = isGood_ && place && (!place_ || *place_ == *place);
    place_ = place;
  }
  void compared(const ir::ValueRef& value) {
    if (!isGood_) return;
    if (const auto before = isBefore(value)) return taken(before->second);
    if (isOld(value)) isGood_ = false;
    if (const auto* call = std::get_if<ir::Call>(&value->node))
      for (const ir::ValueRef& arg : call->args) compared(arg);
    if (const auto* cast = std::get_if<ir::Cast>(&value->node)) compared(cast->arg);
  }

  // Of a comparison: whether it holds where the term is in front of the result, and the term. (They are never equal.)
  std::optional<std::pair<bool, ir::ValueRef>> isBefore(const ir::ValueRef& value) const {
    const auto* call = std::get_if<ir::Call>(&value->node);
    if (!call || call->args.size() != 2 || isOld(call->args[0]) == isOld(call->args[1]))
      return std::nullopt;
    const bool isLess = call->function == Function::Lt || call->function == Function::Le;
    const bool isMore = call->function == Function::Gt || call->function == Function::Ge;
    if (!isLess && !isMore) return std::nullopt;
    const bool isSecond = isOld(call->args[1]);
    return std::pair(isLess == isSecond, call->args[isSecond ? 0 : 1]);
  }

  ir::ValueRef counter() const { return ir::makeValue(ScalarType::I32, ir::OperandRef{operand_}); }
  ir::ValueRef withCounter(const ir::ValueRef& value) const {
    return ir::rewrite(value, [&](const ir::ValueRef& v) -> ir::ValueRef {
      const auto before = isBefore(v);
      if (!before) return nullptr;
      const ir::ValueRef zero = number(ScalarType::I32, 0);
      return before->first ? ir::makeCall(Function::Lt, {counter(), zero})
                           : ir::makeCall(Function::Le, {zero, counter()});
    });
  }
  ir::ValueRef movedCounter(const ir::ValueRef& value, const std::string& block) const {
    if (isOld(value)) return counter();
    if (const ir::Call* select = selectOf(value))
      return ir::makeCall(Function::Select,
                          {withCounter(select->args[0]), movedCounter(select->args[1], block),
                           movedCounter(select->args[2], block)});
    return ir::makeValue(ScalarType::I32, ir::Cast{position(at(block) + constant(1))});
  }

  const ir::StructuredOp& op_;
  const size_t output_;
  const unsigned operand_;
  bool isGood_ = true;
  std::optional<Expr> place_;
};

// In front of all positions, or behind.
bool isEnd(const ir::ValueRef& neutral) {
  const auto* literal = std::get_if<ir::Literal>(&neutral->node);
  return literal && (literal->number.asBits == ir::endOf(neutral->type, false).asBits ||
                     literal->number.asBits == ir::endOf(neutral->type, true).asBits);
}

// Whether the place moves on by at least one with each iteration, where `axis` is the innermost reduction.
bool rises(const Builder& builder, const ir::StructuredOp& op, const std::string& axis,
           const Expr& place) {
  std::vector<std::string> order = {axis};  // from the innermost on
  for (const ir::Iterator& i : llvm::reverse(op.iterators))
    if (i.kind == ir::IteratorKind::Reduction && i.name != axis) order.push_back(i.name);
  std::optional<Expr> all;  // what the iterators inside reach
  for (const std::string& name : order) {
    const auto step = place.stepAlong(name);
    if (!step || (all ? *step != *all : step->asConstant().value_or(0) < 1)) return false;
    all = *step * builder.extent(op, name);
    if (all->overflowed()) return false;
  }
  return true;
}

ir::ValueRef operand(ScalarType type, unsigned number) {
  return ir::makeValue(type, ir::OperandRef{number});
}

// -1 for a position that is behind all places from the first one on.
ir::ValueRef begun(const ir::ValueRef& first) {
  return ir::makeCall(Function::Select,
                      {ir::makeCall(Function::Lt, {first, operand(ScalarType::I64, 0)}),
                       number(ScalarType::I32, -1), number(ScalarType::I32, 0)});
}

// The place of the round that was counted, or what there was.
ir::ValueRef found(const ir::ValueRef& first, const Expr& step) {
  const ir::ValueRef count = operand(ScalarType::I32, 0);
  const ir::ValueRef rounds = ir::makeCall(
      Function::Sub, {ir::makeValue(ScalarType::I64, ir::Cast{count}), number(ScalarType::I64, 1)});
  return ir::makeCall(
      Function::Select,
      {ir::makeCall(Function::Lt, {number(ScalarType::I32, 0), count}),
       ir::makeCall(Function::Add, {ir::makeCall(Function::Mul, {rounds, position(step)}), first}),
       operand(ScalarType::I64, 1)});
}

}  // namespace

std::vector<size_t> risingPositions(const Builder& builder, const ir::StructuredOp& op,
                                    const std::string& axis) {
  std::vector<size_t> found;
  if (!op.combiner) return found;
  for (size_t i = 0; i < op.results.size(); ++i) {
    const auto place = isEnd(op.combiner->neutral[i]) ? Use(op, i).place() : std::nullopt;
    if (place && rises(builder, op, axis, *place)) found.push_back(i);
  }
  return found;
}

Counting countPositions(const ir::StructuredOp& op, const std::string& block, size_t output,
                        const ir::Operand& counters) {
  Use use(op, output);
  const Expr place = *use.place();
  const ir::ValueRef first = position(place.substitute([&](const affine::Atom& atom) {
    const bool isBlock = atom.kind == affine::Atom::Kind::Iterator && atom.name == block;
    return isBlock ? std::optional(Expr()) : std::nullopt;
  }));
  Counting counting;
  counting.op = op;
  counting.op.results = use.counted(block);
  counting.op.outputs[output] = counters;
  counting.before.axes = op.axes;
  counting.before.source = op.source;
  for (const ir::Iterator& i : op.iterators)
    if (i.name != block) counting.before.iterators.push_back(i);
  counting.behind = counting.before;
  counting.before.inputs = {op.outputs[output]};
  counting.before.outputs = {counters};
  counting.before.results = {begun(first)};
  counting.behind.inputs = {counters};
  counting.behind.outputs = {op.outputs[output]};
  counting.behind.results = {found(first, *place.stepAlong(block))};
  return counting;
}

}  // namespace einc::transforms
