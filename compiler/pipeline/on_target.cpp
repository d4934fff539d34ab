// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/on_target.h"

#include <string>
#include <utility>

#include "compiler/ir/instruction.h"
#include "compiler/strategy/instructions.h"
#include "compiler/transforms/call_external.h"
#include "compiler/transforms/multiply_narrow.h"
#include "compiler/transforms/reduce_together.h"
#include "compiler/transforms/unroll.h"
#include "compiler/transforms/vectorize.h"

namespace einc::pipeline {

Result<ir::Module> callExternal(const ir::Module& module,
                                const std::vector<strategy::Setting>& settings,
                                const target::Target* target) {
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels) {
    if (kernel.level != ir::Level::Buffers) {
      result.kernels.push_back(kernel);
      continue;
    }
    ir::Kernel called =
        transforms::callExternal(kernel, strategy::externalFunctions(settings, kernel.name));
    auto calls = ir::externalCalls(called.body);
    if (target && target->device && !calls.empty())
      return Reason{"def '" + kernel.name + "' is done by " + calls[0]->function +
                    " (library_call), which runs on the CPU, and --target=" +
                    std::string(target->name) + " is a device"};
    result.kernels.push_back(std::move(called));
  }
  return result;
}

ir::Kernel vectorize(const ir::Kernel& kernel, const target::Target& target, bool keepsOrder) {
  const target::Numbers& numbers = target.numbers;
  return transforms::vectorize(kernel, {numbers.shortSum, numbers.shortSumNear, numbers.near},
                               keepsOrder,
                               /*negatesMaxima=*/!target.device && !target.hasMaxOfNumbers);
}

// Adds two products of signed numbers of 16 bits, as its term says, the first of them in the lower half of a word.
static bool addsPairs(const ir::Instruction& one) {
  using ir::ScalarType;
  auto factor = [](unsigned operand) {
    return ir::makeCast(ScalarType::I32, ir::makeValue(ScalarType::I16, ir::OperandRef{operand}));
  };
  const ir::ValueRef term =
      ir::makeCall(ir::Function::Add, {ir::makeValue(ScalarType::I32, ir::OperandRef{2}),
                                       ir::makeCall(ir::Function::Mul, {factor(0), factor(1)})});
  return one.count == 2 && one.side == 1 && !one.runsBackwards &&
         one.elements[0] == ScalarType::I16 && one.elements[1] == ScalarType::I16 &&
         ir::equal(one.term, term);
}

ir::Kernel multiplyNarrow(ir::Kernel kernel, const target::Target& target) {
  const ir::Instruction* pairs = nullptr;
  for (const ir::Instruction& one : ir::allInstructions())
    if (strategy::has(target, one) && addsPairs(one) && (!pairs || one.cost < pairs->cost))
      pairs = &one;
  return transforms::multiplyNarrow(std::move(kernel), pairs);
}

ir::Kernel unroll(ir::Kernel kernel, const target::Target& target) {
  transforms::VectorShape shape{target.vectorBytes};
  if (target.device) shape.lanes = target::kDeviceLanes;
  shape.repeats = target.device == nullptr;
  shape.turned = target.device ? 0 : target.numbers.turnedElements;
  return transforms::unroll(std::move(kernel), shape);
}

ir::Kernel reduceTogether(ir::Kernel kernel, const target::Target& target) {
  return transforms::reduceTogether(std::move(kernel), target.numbers.reducedTogether);
}

}  // namespace einc::pipeline
