// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/rounds_on_workgroups.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/transforms/combiner.h"
#include "compiler/transforms/ops_in_rounds.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using affine::Expr;
using ir::Function;
using ir::StructuredOp;
using ir::ValueRef;
using When = Rounds::When;

// What an op in rounds carries on, at one position of all loops that it has.
struct Carried {
  size_t op;
  ir::Operand operand;
  Function function;  // how two become one, where no bound is changed
};

bool isIn(const Rounds& rounds, size_t op) { return rounds.when[op] == When::In; }

std::vector<Carried> carriedIn(const Rounds& rounds) {
  std::vector<Carried> result;
  for (size_t op = 0; op < rounds.ops.size(); ++op)
    for (size_t o = 0; isIn(rounds, op) && o < rounds.ops[op].outputs.size(); ++o)
      if (const ir::Operand& output = rounds.ops[op].outputs[o];
          !llvm::is_contained(output.map, at(rounds.along.names[op])))
        result.push_back({op, output, (*combinersOf(rounds.ops[op]))[o]});
  return result;
}

std::set<unsigned> tensorsOf(const std::vector<ir::Operand>& operands) {
  std::set<unsigned> result;
  for (const ir::Operand& operand : operands) result.insert(operand.tensor);
  return result;
}
bool writesAny(const StructuredOp& op, const std::set<unsigned>& tensors) {
  return llvm::any_of(op.outputs,
                      [&](const auto& output) { return tensors.count(output.tensor) != 0; });
}

// Of the ops before the rounds those that write one of these, or something for such an op.
std::set<size_t> neededBefore(const Rounds& rounds, std::set<unsigned> tensors) {
  std::set<size_t> result;
  for (size_t op = rounds.ops.size(); op-- > 0;)
    if (rounds.when[op] == When::Before && writesAny(rounds.ops[op], tensors)) {
      result.insert(op);
      tensors.merge(tensorsOf(rounds.ops[op].inputs));
    }
  return result;
}
// What the ops of this kind read, beside what rounds carry on.
std::set<unsigned> readBy(const Rounds& rounds, When when) {
  std::set<unsigned> result;
  for (size_t op = 0; op < rounds.ops.size(); ++op)
    if (rounds.when[op] == when) result.merge(tensorsOf(rounds.ops[op].inputs));
  for (const Carried& one : carriedIn(rounds)) result.erase(one.operand.tensor);
  return result;
}

// Of locals no more than a tile is kept, of what these use.
class Ops : OpsInRounds {
 public:
  explicit Ops(const Rounds& from) : OpsInRounds(from) {
    rounds.kept.clear();
    rounds.bounds.clear();
    rounds.moved.clear();
  }

  using OpsInRounds::add;
  using OpsInRounds::rounds;
  void add(size_t op) { add(from.ops[op], from.when[op], op); }
  Rounds take() {
    std::set<unsigned> used;
    for (const StructuredOp& op : rounds.ops)
      for (const auto& operands : {op.inputs, op.outputs}) used.merge(tensorsOf(operands));
    for (const auto& [tensor, name] : from.kept)
      if (used.count(tensor) != 0) rounds.kept.emplace(tensor, name);
    return std::move(rounds);
  }
};

class Cutter {
 public:
  Cutter(Builder& builder, const Rounds& rounds, const PartsOnWorkgroups& parts)
      : builder_(builder), rounds_(rounds), parts_(parts), carried_(carriedIn(rounds)) {
    for (const Carried& one : carried_) {
      const ir::Tensor whole = builder.kernel().tensors[one.operand.tensor];
      std::vector<Expr> shape = whole.shape;
      shape.insert(shape.begin(), parts.count);
      rows_[one.operand.tensor] =
          builder.tensor(nameOf(one) + "_parts", whole.type, std::move(shape), ir::Role::Local);
    }
  }

  Rounds parts() {
    Ops made(rounds_);
    const std::set<size_t> before = neededBefore(rounds_, readBy(rounds_, When::In));
    for (size_t op : before) made.add(op);
    for (const Carried& one : carried_)
      made.add(opOn(one, {}, one.operand, neutral(one.function, typeOf(one))), When::Before,
               one.op);
    std::map<size_t, size_t> numbers;
    for (size_t op = 0; op < rounds_.ops.size(); ++op)
      if (isIn(rounds_, op)) {
        numbers[op] = made.rounds.ops.size();
        made.add(op);
      }
    Rounds::Loop loop{std::vector<std::string>(made.rounds.ops.size()), parts_.count};
    loop.on = rounds_.outer[0].on;
    for (const Carried& one : carried_) {
      StructuredOp op = opOn(one, {one.operand}, row(one), ref(one, 0));
      op.iterators.insert(op.iterators.begin(), {parts_.iterator, ir::IteratorKind::Parallel});
      made.add(std::move(op), When::After, one.op);
      loop.names.push_back(parts_.iterator);
    }
    Rounds result = made.take();
    result.outer.insert(result.outer.begin(), std::move(loop));
    result.partWidth = parts_.width;
    for (auto [tensor, bound] : rounds_.bounds) {
      bound.op = numbers.at(bound.op);
      result.bounds.emplace(tensor, bound);
    }
    result.moved = rounds_.moved;
    keepOwn(result);
    return result;
  }

  Rounds rest() {
    Ops made(rounds_);
    std::set<unsigned> used = readBy(rounds_, When::After);
    for (const Carried& one : carried_) used.insert(one.operand.tensor);
    const std::set<size_t> before = neededBefore(rounds_, used),
                           forParts = neededBefore(rounds_, readBy(rounds_, When::In));
    for (size_t op = 0; op < rounds_.ops.size(); ++op)
      if (rounds_.when[op] == When::Before && (before.count(op) != 0 || forParts.count(op) == 0))
        made.add(op);
    for (const bool isMoved : {false, true})  // sums need all of a bound
      for (const Carried& one : carried_)
        if (auto moved = rounds_.moved.find(one.operand.tensor);
            isMoved == (moved != rounds_.moved.end()))
          made.add(isMoved ? combinedWith(one, moved->second) : combined(one), When::Before,
                   one.op);
    for (size_t op = 0; op < rounds_.ops.size(); ++op)
      if (rounds_.when[op] == When::After) made.add(op);
    Rounds result = made.take();
    for (Rounds::Loop& loop : result.outer)
      if (!llvm::is_contained(loop.names, "")) loop.tile = 1;
    return result;
  }

 private:
  std::string nameOf(const Carried& one) const {
    auto kept = rounds_.kept.find(one.operand.tensor);
    return kept == rounds_.kept.end() ? builder_.kernel().tensors[one.operand.tensor].name
                                      : kept->second;
  }
  ir::ScalarType typeOf(const Carried& one) const {
    return builder_.kernel().tensors[one.operand.tensor].type;
  }
  ValueRef ref(const Carried& like, unsigned number) const {
    return ir::makeValue(typeOf(like), ir::OperandRef{number});
  }
  const Carried& carried(unsigned tensor) const {
    return *llvm::find_if(carried_,
                          [&](const Carried& one) { return one.operand.tensor == tensor; });
  }

  // At each position.
  StructuredOp opOn(const Carried& one, std::vector<ir::Operand> inputs, const ir::Operand& output,
                    ValueRef value) const {
    const StructuredOp& writer = rounds_.ops[one.op];
    StructuredOp op{{}, std::move(inputs), {output}, {std::move(value)}, writer.source};
    for (const ir::Iterator& iterator : writer.iterators)
      if (iterator.kind == ir::IteratorKind::Parallel) op.iterators.push_back(iterator);
    return op;
  }
  ir::Operand row(const Carried& of) const {
    ir::Operand result = of.operand;
    result.tensor = rows_.at(of.operand.tensor);
    result.map.insert(result.map.begin(), at(parts_.iterator));
    return result;
  }
  // A bound, all indices of which are loops', where an op carries on something.
  ir::Operand there(const Carried& bound, size_t op) const {
    ir::Operand result = bound.operand;
    for (Expr& index : result.map)
      for (const Rounds::Loop& loop : rounds_.outer)
        if (index.asIterator() == loop.names[bound.op]) {
          index = at(loop.names[op]);
          break;
        }
    return result;
  }

  StructuredOp overParts(const Carried& one, std::vector<ir::Operand> inputs,
                         ValueRef value) const {
    StructuredOp op = opOn(one, std::move(inputs), one.operand, std::move(value));
    op.iterators.push_back({parts_.iterator, ir::IteratorKind::Reduction});
    return op;
  }
  StructuredOp combined(const Carried& one) const {
    return overParts(one, {row(one)}, ir::makeCall(one.function, {ref(one, 1), ref(one, 0)}));
  }
  StructuredOp combinedWith(const Carried& sum, const Move& move) const {
    Carried bound = carried(*move.bound);
    bound.operand = there(bound, sum.op);
    const ValueRef before = ref(bound, 0), after = ref(bound, 1),
                   value = ofPart(move, rounds_.bounds.at(*move.bound).function, before, after,
                                  ref(sum, 2), changeOf(move, before, after));
    return overParts(sum, {row(bound), bound.operand, row(sum)},
                     ir::makeCall(Function::Add, {ref(sum, 3), value}));
  }
  // The factor of two bounds that are not the same.
  static ValueRef changeOf(const Move& move, const ValueRef& before, const ValueRef& after) {
    return std::get<ir::Call>(factorOf(move, before, after)->node).args[2];
  }

  // What is written behind all parts is a local in each.
  void keepOwn(Rounds& parts) {
    for (const Carried& one : carried_) {
      const unsigned tensor = one.operand.tensor;
      if (rounds_.kept.count(tensor) != 0) continue;
      const ir::Tensor whole = builder_.kernel().tensors[tensor];
      const unsigned own =
          builder_.tensor(whole.name + "_part", whole.type, whole.shape, ir::Role::Local);
      for (StructuredOp& op : parts.ops)
        for (size_t i = 0; i < op.operandCount(); ++i)
          if (op.operand(i).tensor == tensor) op.operand(i).tensor = own;
      parts.kept.emplace(own, builder_.kernel().tensors[own].name);
      if (auto bound = parts.bounds.extract(tensor)) {
        bound.key() = own;
        parts.bounds.insert(std::move(bound));
      }
      for (auto& [sum, move] : parts.moved)
        if (move.bound == tensor) move.bound = own;
    }
  }

  Builder& builder_;
  const Rounds& rounds_;
  const PartsOnWorkgroups& parts_;
  std::vector<Carried> carried_;
  std::map<unsigned, unsigned> rows_;  // memory for all parts, by tensors
};

}  // namespace

std::optional<Reason> whyNotOnWorkgroups(const Rounds& rounds) {
  if (llvm::is_contained(rounds.when, When::Each) || !rounds.moments.empty())
    return Reason{"something is computed from what is known so far"};
  for (size_t op : neededBefore(rounds, readBy(rounds, When::In)))
    if (llvm::any_of(rounds.ops[op].outputs, [&](const ir::Operand& output) {
          return rounds.kept.count(output.tensor) == 0;
        }))
      return Reason{"each part would write a result that rounds read"};
  return std::nullopt;
}

RoundsOnWorkgroups onWorkgroups(Builder& builder, const Rounds& rounds,
                                const PartsOnWorkgroups& parts) {
  Cutter cutter(builder, rounds, parts);
  Rounds first = cutter.parts();
  return {std::move(first), cutter.rest()};
}

}  // namespace einc::transforms
