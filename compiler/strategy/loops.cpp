// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/loops.h"

#include "compiler/ir/shape.h"
#include "compiler/strategy/estimate.h"

namespace einc::strategy {

Result<Form> loops(const Task& task) {
  const target::Target& target = *task.options.target;
  Cost cost;
  cost.operations = operationsOf(task.op, target);
  const size_t operands = ir::reduces(task.op) ? task.op.inputs.size() : task.op.operandCount();
  cost.moves = static_cast<double>(operands);
  cost.latency = ir::reduces(task.op) ? target.fmaLatency : 0;
  Form form{"loops", {Step(LoopsStep{}, "no other form can take it")}, cyclesOf(cost, target)};
  form.grain = target.numbers.elementsPerThread;
  return form;
}

}  // namespace einc::strategy
