// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/rounds_moments.h"

#include <string>
#include <utility>

#include "compiler/transforms/ops_in_rounds.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

using ir::StructuredOp;
using ir::ValueRef;

// Op by op: the new ones stand beside those that they are like.
class Adder {
 public:
  Adder(Builder& builder, const Rounds& before)
      : builder_(builder), before_(before), made_(before) {}

  WithMoments run() {
    for (const auto& [sum, moments] : before_.moments)
      if (!isScaled(moments)) addTensors(sum, moments);
    for (size_t op = 0; op < before_.ops.size(); ++op) add(op);
    result_.rounds = std::move(made_.rounds);
    return std::move(result_);
  }

 private:
  unsigned like(unsigned tensor, ir::ScalarType type, const std::string& name) {
    const std::vector<affine::Expr> shape = builder_.kernel().tensors[tensor].shape;
    const unsigned made = builder_.tensor(name + "_whole", type, shape, ir::Role::Local);
    made_.rounds.kept.emplace(made, name);
    result_.added.push_back(made);
    return made;
  }
  std::string nameOf(unsigned tensor) const {
    auto kept = before_.kept.find(tensor);
    return kept == before_.kept.end() ? builder_.kernel().tensors[tensor].name : kept->second;
  }
  // A centre, in a tensor.
  struct Centre {
    unsigned source;
    ValueRef value;
    unsigned tensor;
    bool isStarted = false;
  };
  Centre& centreOf(const Moments& moments) {
    for (Centre& one : centres_)
      if (one.source == moments.source && ir::equal(one.value, moments.centre)) return one;
    // What others see is written behind the rounds alone: they may go on reading what a call has in its place.
    const bool isOwn = isMadeByItself(moments) && before_.kept.count(moments.source) != 0;
    const unsigned tensor =
        isOwn ? moments.source
              : like(moments.source, moments.centre->type, nameOf(moments.source) + "_so_far");
    centres_.push_back({moments.source, moments.centre, tensor});
    return centres_.back();
  }
  void addTensors(unsigned sum, const Moments& moments) {
    const unsigned centre = centreOf(moments).tensor;
    if (!moments.isSum) return;
    std::vector<unsigned> derivatives;
    for (size_t k = 1; k <= moments.derivatives.size(); ++k)
      derivatives.push_back(
          like(sum, builder_.kernel().tensors[sum].type,
               nameOf(sum) + "_by_" + nameOf(moments.source) + (k == 1 ? "" : std::to_string(k))));
    for (size_t k = 0; k <= derivatives.size(); ++k) {
      const auto rest = derivatives.begin() + static_cast<std::ptrdiff_t>(k);
      result_.moving[k == 0 ? sum : derivatives[k - 1]] = {centre, {rest, derivatives.end()}};
    }
  }
  // Whether an op has it as its result.
  bool isMadeByItself(const Moments& moments) const {
    for (size_t op = 0; op < before_.ops.size(); ++op)
      if (before_.when[op] == Rounds::When::Each && ir::writes(before_.ops[op], moments.source))
        return true;
    return false;
  }

  void push(StructuredOp op, Rounds::When when, size_t likeOp) {
    made_.add(std::move(op), when, likeOp);
  }

  void add(size_t number) {
    const StructuredOp& op = before_.ops[number];
    const Rounds::When when = before_.when[number];
    for (const ir::Operand& output : op.outputs)
      if (auto bound = made_.rounds.bounds.find(output.tensor);
          bound != made_.rounds.bounds.end() && before_.bounds.at(output.tensor).op == number)
        bound->second.op = made_.rounds.ops.size();
    const auto moments = before_.moments.find(op.outputs[0].tensor);
    const bool hasMoments = moments != before_.moments.end();
    if (hasMoments && isScaled(moments->second)) return addScaled(op, moments->second, number);
    if (when == Rounds::When::Each) return addEach(op, number);
    push(hasMoments && when == Rounds::When::In ? atCentre(op, moments->second, 0) : op, when,
         number);
    if (hasMoments && when == Rounds::When::Before) addStarts(op, moments->second, number);
    if (hasMoments && when == Rounds::When::In)
      for (size_t k = 1; moments->second.isSum && k <= moments->second.derivatives.size(); ++k)
        push(atCentre(op, moments->second, k), when, number);
    for (const Centre& centre : centres_)
      if (when == Rounds::When::In && ir::writes(op, centre.source)) addCentre(op, centre, number);
  }
  // In rounds, if its result is a centre; else what needs it there is scaled behind them.
  void addEach(const StructuredOp& op, size_t number) {
    const unsigned output = op.outputs[0].tensor;
    StructuredOp own = op;
    for (const Centre& centre : centres_)
      if (centre.source == output) own.outputs[0].tensor = centre.tensor;
    const bool isCentre =
        llvm::any_of(centres_, [&](const Centre& centre) { return centre.source == output; });
    if (isCentre) push(own, Rounds::When::Each, number);
    if (!isCentre || own.outputs[0].tensor != output) push(op, Rounds::When::After, number);
  }
  bool isMade(size_t op) const {
    return before_.when[op] == Rounds::When::In || before_.when[op] == Rounds::When::Each;
  }

  // The op, or one that adds up a derivative, with the centre as it is so far.
  StructuredOp atCentre(StructuredOp op, const Moments& moments, size_t derivative) {
    if (moments.operand) op.inputs[*moments.operand].tensor = centreOf(moments).tensor;
    const ValueRef term = derivative == 0 ? moments.term : moments.derivatives[derivative - 1];
    const auto output = static_cast<unsigned>(op.inputs.size());
    op.results[0] = moments.isSum
                        ? ir::makeCall(ir::Function::Add,
                                       {ir::makeValue(term->type, ir::OperandRef{output}), term})
                        : term;
    if (derivative != 0)
      op.outputs[0].tensor = result_.moving.at(op.outputs[0].tensor).derivatives[derivative - 1];
    dropUnread(op);
    return op;
  }

  static bool isScaled(const Moments& moments) { return moments.isSum && moments.isScaled; }
  // Without the centre in rounds, and times that behind them.
  void addScaled(const StructuredOp& op, const Moments& moments, size_t number) {
    const Rounds::When when = before_.when[number];
    if (when != Rounds::When::In) return push(op, when, number);
    StructuredOp sum = op, scale = overResult(op);
    const ValueRef& term = moments.derivatives[0];
    const auto output = static_cast<unsigned>(op.inputs.size());
    sum.results[0] =
        ir::makeCall(ir::Function::Add, {ir::makeValue(term->type, ir::OperandRef{output}), term});
    dropUnread(sum);
    push(std::move(sum), when, number);
    scale.inputs = {op.inputs[*moments.operand]};
    scale.results[0] = ir::makeCall(
        ir::Function::Mul,
        {ir::makeValue(term->type, ir::OperandRef{1}), ir::makeCast(term->type, moments.centre)});
    push(std::move(scale), Rounds::When::After, number);
  }
  void dropUnread(StructuredOp& op) {
    for (size_t input = op.inputs.size(); input-- > 0;)
      if (!ir::readsOperand(op, input)) dropInput(builder_.kernel(), op, input);
  }

  // Before the rounds they are 0.
  void addStarts(const StructuredOp& op, const Moments& moments, size_t number) {
    StructuredOp start = op;
    for (unsigned derivative : result_.moving.at(op.outputs[0].tensor).derivatives) {
      start.outputs[0].tensor = derivative;
      push(start, Rounds::When::Before, number);
    }
    Centre& centre = centreOf(moments);
    if (!std::exchange(centre.isStarted, true)) push(startOf(centre), Rounds::When::Before, number);
  }
  StructuredOp startOf(const Centre& centre) const {
    for (size_t op = 0; op < before_.ops.size(); ++op)
      if (isMade(op) && ir::writes(before_.ops[op], centre.source)) {
        StructuredOp start = overResult(before_.ops[op]);
        start.inputs.clear();
        start.outputs[0].tensor = centre.tensor;
        start.results[0] = ir::makeLiteral(centre.value->type, {});
        return start;
      }
    return {};
  }
  // Each of its results, without what is reduced.
  static StructuredOp overResult(StructuredOp op) {
    std::erase_if(op.iterators, [](const ir::Iterator& iterator) {
      return iterator.kind == ir::IteratorKind::Reduction;
    });
    op.combiner.reset();
    return op;
  }

  // What the op makes is a centre in a tensor of its own.
  void addCentre(const StructuredOp& op, const Centre& centre, size_t number) {
    StructuredOp made = overResult(op);
    made.inputs = {op.outputs[0]};
    made.outputs[0].tensor = centre.tensor;
    made.results[0] = centre.value;
    push(std::move(made), Rounds::When::Each, number);
  }

  Builder& builder_;
  const Rounds& before_;
  OpsInRounds made_;
  WithMoments result_;
  std::vector<Centre> centres_;
};

}  // namespace

WithMoments withMoments(Builder& builder, const Rounds& rounds) {
  return Adder(builder, rounds).run();
}

}  // namespace einc::transforms
