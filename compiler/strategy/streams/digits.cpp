// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/digits.h"

#include <string>
#include <utility>
#include <vector>

#include "compiler/strategy/groups.h"
#include "compiler/strategy/streams/streams.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/digits.h"
#include "compiler/transforms/hoist_values.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

std::vector<transforms::Digit> digitsOf(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                        const ScheduleOptions& options) {
  const target::Target& target = *options.target;
  bool shapes = llvm::any_of(op.inputs, [](const ir::Operand& input) { return input.shapeOnly; });
  if (target.vectorBytes == 0 || shapes) return {};
  auto digits = transforms::findDigits(kernel, op, target.lanes(transforms::registerBytes(op)));
  bool anyOrder = transforms::mayReorder(op, options.keepsOrder);
  llvm::erase_if(digits, [&](const transforms::Digit& digit) {
    return !anyOrder && llvm::any_of(op.iterators, [&](const ir::Iterator& i) {
      return i.name == digit.iterator && i.kind == ir::IteratorKind::Reduction;
    });
  });
  for (transforms::Digit& digit : digits) digit.high = freeName(kernel, op, digit.high);
  return digits;
}

// What is left behind whole multiples: few positions, not worth much code.
Steps left(const Task& task) {
  if (llvm::none_of(task.op.results, transforms::takesLong))
    return {Step(LoopsStep{}, "few positions are left")};
  auto vectors = stream(task);
  return vectors ? std::move(vectors->steps) : Steps{Step(LoopsStep{}, "few positions are left")};
}

}  // namespace

Result<Form> digits(const Task& task, const Form& /*whole*/) {
  const ir::StructuredOp op = withoutUnits(task.kernel, transforms::asSum(task.op));
  const std::vector<transforms::Digit> found = digitsOf(task.kernel, op, task.options);
  if (found.empty()) return Reason{"no iterator is divided"};
  if (const auto groups = contractionGroups(task.kernel, op); groups && haveSeveral(*groups))
    return Reason{"what a product packs is found once for each element"};
  DigitsStep step;
  std::vector<std::string> lines;
  for (const transforms::Digit& digit : found) {
    step.digits.push_back({digit.iterator, digit.base, digit.high, {}});
    lines.push_back("'" + digit.iterator + "' as digits of base " + digit.base.str());
  }
  Form result;
  OpSettings none({}, "", 0);
  ir::Kernel parts = task.kernel;  // the op's parts are looked at there, and then done by the step
  transforms::Builder builder(parts);
  transforms::splitDigits(builder, op, found, [&](const ir::StructuredOp& part, size_t count) {
    if (count == found.size())
      result = task.behind({parts, part, task.names, task.options, task.settings, task.memory});
    else
      step.digits[count].left = left({parts, part, task.names, task.options, none, task.memory});
    return ir::Block();
  });
  step.whole = std::move(result.steps);
  result.steps = {Step(std::move(step), "so that indices neither divide nor jump")};
  result.lines.insert(result.lines.begin(), lines.begin(), lines.end());
  return result;
}

}  // namespace einc::strategy
