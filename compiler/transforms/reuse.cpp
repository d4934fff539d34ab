// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/reuse.h"

#include <algorithm>
#include <utility>

#include "compiler/transforms/builder.h"

namespace einc::transforms {
namespace {

using ir::StructuredOp;

class Reuser {
 public:
  Reuser(const ir::Kernel& kernel, std::vector<StructuredOp>& ops, const Reuse& reuse)
      : kernel_(kernel), ops_(ops), reuse_(reuse) {}

  void run() {
    for (size_t op = 0; op < ops_.size(); ++op)
      for (size_t input = 0; input < ops_[op].inputs.size(); ++input)
        if (mayTakeThePlace(op, input)) {
          takePlace(op, input);
          break;
        }
  }

 private:
  bool isUsed(unsigned tensor, size_t from, size_t to) const {
    return std::any_of(ops_.begin() + static_cast<std::ptrdiff_t>(from),
                       ops_.begin() + static_cast<std::ptrdiff_t>(to),
                       [&](const StructuredOp& op) { return ir::uses(op, tensor); });
  }
  bool mayTakeThePlace(size_t number, size_t input) const {
    const StructuredOp& op = ops_[number];
    const ir::Operand &from = op.inputs[input], &to = op.outputs[0];
    const bool isMap = reuse_.mayBe(number) && !ir::reduces(op) && op.outputs.size() == 1 &&
                       !ir::readsOperand(op, op.inputs.size());
    if (!isMap || from.tensor == to.tensor || from.map != to.map || !ir::isPlain(to) || from.pad ||
        kernel_.tensors[from.tensor].type != kernel_.tensors[to.tensor].type)
      return false;
    const auto again = std::count_if(op.inputs.begin(), op.inputs.end(), [&](const auto& other) {
      return other.tensor == from.tensor;
    });
    return again == 1 && reuse_.isTile(from.tensor) && reuse_.isTile(to.tensor) &&
           !isUsed(to.tensor, 0, number) && !isUsed(from.tensor, number + 1, ops_.size());
  }

  void takePlace(size_t number, size_t input) {
    const unsigned from = ops_[number].inputs[input].tensor, to = ops_[number].outputs[0].tensor;
    for (StructuredOp& op : ops_)
      for (size_t i = 0; i < op.operandCount(); ++i)
        if (op.operand(i).tensor == to) op.operand(i).tensor = from;
    StructuredOp& op = ops_[number];
    const auto output = static_cast<unsigned>(op.inputs.size());
    for (ir::ValueRef& result : op.results)
      result = ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
        auto* operand = std::get_if<ir::OperandRef>(&value->node);
        if (!operand || operand->operand != input) return nullptr;
        return ir::makeValue(value->type, ir::OperandRef{output});
      });
    dropInput(kernel_, op, input);
    reuse_.isGone(to);
  }

  const ir::Kernel& kernel_;
  std::vector<StructuredOp>& ops_;
  const Reuse& reuse_;
};

}  // namespace

void reuse(const ir::Kernel& kernel, std::vector<StructuredOp>& ops, const Reuse& reuse) {
  Reuser(kernel, ops, reuse).run();
}

bool isOverwritten(const std::vector<StructuredOp>& ops, unsigned tensor) {
  auto user = std::find_if(ops.begin(), ops.end(),
                           [&](const StructuredOp& op) { return ir::uses(op, tensor); });
  return user != ops.end() && user->outputs.size() == 1 && user->outputs[0].tensor == tensor &&
         !ir::readsOperand(*user, user->inputs.size());
}

}  // namespace einc::transforms
