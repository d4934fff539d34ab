// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/on_tiles.h"

#include "compiler/strategy/forms.h"
#include "compiler/strategy/others.h"
#include "compiler/strategy/plan/outside.h"
#include "compiler/strategy/plan/region.h"
#include "compiler/strategy/streams/parts_for_threads.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

Others othersOf(const ir::Kernel& kernel, const Together& together, size_t sum) {
  const auto& [ops, first] = together;
  ir::Kernel aside = kernel;  // where names are given
  transforms::Builder builder(aside);
  const Region region(builder, ops, first);
  const std::vector<OperandName> names = region.attachedNames(operandNames(kernel, ops[sum]));
  Others others{{}, region.isWritten(), {}};
  for (size_t number : region.others()) {
    others.onTiles.push_back(Step(FuseStep{static_cast<int64_t>(number), true, {}},
                                  "while a tile of sums is in registers"));
    const ir::StructuredOp& op = region.ops()[number - first];
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (op.operand(i).tensor != ops[sum].outputs[0].tensor && !op.operand(i).shapeOnly)
        others.operands.emplace_back(names[others.operands.size()], op.operand(i));
  }
  return others;
}

}  // namespace

Step fusedBy(size_t number, Steps steps) {
  return Step(FuseStep{static_cast<int64_t>(number), /*isOnTile=*/false, std::move(steps)},
              "in a form of its own");
}

Form onContraction(const ir::Kernel& kernel, const Together& together, size_t sum,
                   const ScheduleOptions& options, OpSettings& settings) {
  const ir::StructuredOp& op = together.ops[sum];
  const ir::StructuredOp added = transforms::asSum(op);
  const std::vector<OperandName> names = operandNames(kernel, added);
  Form form = contractionOf({kernel, added, names, options, settings}, together,
                            *contractionGroups(kernel, op));
  OpSettings none({}, "", 0);
  auto inParts =
      parts({kernel, op, names, options, none, /*memory=*/true, nullptr, bestFormOfPart}, form);
  if (!inParts) return form;
  Steps alone;
  ir::Kernel aside = kernel;  // where names are given
  transforms::Builder builder(aside);
  const Region region(builder, together.ops, together.first);
  // What a region reads outside of tensors is asked element by element: forms with borders are for ops by themselves.
  for (size_t number : region.others())
    if (!findOutside(kernel, region.given()[number - together.first]).empty()) return form;
  for (size_t number : region.others())
    alone.push_back(fusedBy(number, bestFormOfPart({kernel, region.ops()[number - together.first],
                                                    region.names(number), options, none})
                                        .steps));
  llvm::append_range(alone, std::move(inParts->steps));
  form.steps = {Step(WhenStep{std::move(inParts->where), std::move(alone), std::move(form.steps)},
                     inParts->why)};
  form.steps.insert(form.steps.begin(), inParts->lets.begin(), inParts->lets.end());
  llvm::append_range(form.lines, inParts->lines);
  return form;
}

Form onWindows(const ir::Kernel& kernel, const Together& together, size_t sum,
               const ScheduleOptions& options, OpSettings& settings) {
  const ir::StructuredOp& op = together.ops[sum];
  const std::vector<OperandName> names = operandNames(kernel, op);
  const Others others = othersOf(kernel, together, sum);
  return bestFormOfPart({kernel, op, names, options, settings, /*memory=*/true, /*whole=*/nullptr,
                         /*behind=*/nullptr, /*known=*/{}, &others});
}

}  // namespace einc::strategy
