// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/transforms/rounds.h"

namespace einc::transforms {
namespace {

using ir::StructuredOp;

class Reuser {
 public:
  Reuser(const ir::Kernel& kernel, Rounds& rounds) : kernel_(kernel), rounds_(rounds) {}

  void run() {
    for (size_t op = 0; op < rounds_.ops.size(); ++op)
      for (size_t input = 0; input < rounds_.ops[op].inputs.size(); ++input)
        if (mayTakeThePlace(op, input)) {
          takePlace(op, input);
          break;
        }
  }

 private:
  // A tile that is made anew in each round.
  bool isOfRound(unsigned tensor) const {
    if (rounds_.kept.count(tensor) == 0) return false;
    for (size_t op = 0; op < rounds_.ops.size(); ++op) {
      const StructuredOp& user = rounds_.ops[op];
      if (!ir::uses(user, tensor)) continue;
      const bool isOverwritten = user.outputs.size() == 1 && user.outputs[0].tensor == tensor &&
                                 !ir::readsOperand(user, user.inputs.size());
      return rounds_.when[op] == Rounds::When::In && isOverwritten &&
             std::find(user.outputs[0].map.begin(), user.outputs[0].map.end(),
                       at(rounds_.along.names[op])) != user.outputs[0].map.end();
    }
    return false;
  }
  bool isUsed(unsigned tensor, size_t from, size_t to) const {
    return std::any_of(rounds_.ops.begin() + static_cast<std::ptrdiff_t>(from),
                       rounds_.ops.begin() + static_cast<std::ptrdiff_t>(to),
                       [&](const StructuredOp& op) { return ir::uses(op, tensor); });
  }
  bool mayTakeThePlace(size_t number, size_t input) const {
    const StructuredOp& op = rounds_.ops[number];
    const ir::Operand &from = op.inputs[input], &to = op.outputs[0];
    const bool isMap = rounds_.when[number] == Rounds::When::In && !ir::reduces(op) &&
                       op.outputs.size() == 1 && !ir::readsOperand(op, op.inputs.size());
    const bool hasCentre = rounds_.moments.count(to.tensor) != 0;  // and operands that it knows
    if (!isMap || hasCentre || from.tensor == to.tensor || from.map != to.map || !ir::isPlain(to) || from.pad ||
        kernel_.tensors[from.tensor].type != kernel_.tensors[to.tensor].type)
      return false;
    const auto again = std::count_if(op.inputs.begin(), op.inputs.end(), [&](const auto& other) {
      return other.tensor == from.tensor;
    });
    return again == 1 && isOfRound(from.tensor) && isOfRound(to.tensor) &&
           !isUsed(to.tensor, 0, number) && !isUsed(from.tensor, number + 1, rounds_.ops.size());
  }

  void takePlace(size_t number, size_t input) {
    const unsigned from = rounds_.ops[number].inputs[input].tensor,
                   to = rounds_.ops[number].outputs[0].tensor;
    for (StructuredOp& op : rounds_.ops)
      for (size_t i = 0; i < op.operandCount(); ++i)
        if (op.operand(i).tensor == to) op.operand(i).tensor = from;
    StructuredOp& op = rounds_.ops[number];
    const auto output = static_cast<unsigned>(op.inputs.size());
    for (ir::ValueRef& result : op.results)
      result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
        auto* operand = std::get_if<ir::OperandRef>(&value->node);
        if (!operand || operand->operand != input) return nullptr;
        return ir::makeValue(value->type, ir::OperandRef{output});
      });
    dropInput(kernel_, op, input);
    rounds_.kept.erase(to);
    rounds_.moved.erase(to);
  }

  const ir::Kernel& kernel_;
  Rounds& rounds_;
};

}  // namespace

void reuseTiles(const ir::Kernel& kernel, Rounds& rounds) { Reuser(kernel, rounds).run(); }

}  // namespace einc::transforms
