// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/apply.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/print.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/plan/text.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

namespace einc::strategy {
namespace {

// As behind 'bind ... to workgroups'.
void enter(const transforms::Builder& builder, const Group& group, At& here) {
  here.bound = BindStep::To::Workgroups;
  here.on = ir::On::WorkgroupsX;
  here.sharedBytes = group.sharedBytes;
  here.isBindable = false;
  here.isTiled = here.isInLoop = true;
  for (const ir::Iterator& i : here.op.iterators)
    if (auto most = group.most(builder, here.op, i.name)) here.most[i.name] = *most;
}

}  // namespace

ir::Block apply(transforms::Builder& builder, Place place, const Steps& steps,
                const ScheduleOptions& options, std::vector<StepError>& errors,
                Completion* completion) {
  At here;
  static_cast<Place&>(here) = std::move(place);
  if (here.group) enter(builder, *here.group, here);
  return Work(builder, options, errors, completion).start(std::move(here), steps);
}

bool fusesOnTiles(const Steps& steps) {
  return anyStep(steps, [](const Step& step) {
    auto* fuse = std::get_if<FuseStep>(&step.node);
    return fuse && fuse->isOnTile;
  });
}

ir::Block apply(transforms::Builder& builder, const std::vector<ir::StructuredOp>& ops,
                size_t first, const Steps& steps, const ScheduleOptions& options,
                std::vector<StepError>& errors, Completion* completion) {
  const ir::Kernel& kernel = builder.kernel();
  // On a device, and without vectors, a product may share loops with others, too.
  const bool isOnTiles = options.target->vectorBytes > 0 || fusesOnTiles(steps);
  auto sum = std::find_if(ops.begin(), ops.end(), [&](const ir::StructuredOp& op) {
    return isOnTiles && mayHaveTiles(kernel, op);
  });
  if (sum != ops.end()) {
    Region region(builder, ops, first, options.target->numbers.cacheLine);
    return apply(builder, Place{*sum, operandNames(kernel, *sum), &region}, steps, options, errors,
                 completion);
  }
  return applyShared(builder, NumberedOps::from(first, ops), usedElsewhere(kernel, ops), steps,
                     options, errors, completion);
}

ir::Block applyShared(transforms::Builder& builder, const NumberedOps& ops,
                      std::set<unsigned> elsewhere, const Steps& steps,
                      const ScheduleOptions& options, std::vector<StepError>& errors,
                      Completion* completion) {
  return Work(builder, options, errors, completion)
      .startShared(At(), ops, std::move(elsewhere), steps);
}

ir::Block apply(transforms::Builder& builder, const ir::StructuredOp& op, const Steps& steps,
                const ScheduleOptions& options, Completion* completion) {
  return apply(builder, Place{op, operandNames(builder.kernel(), op)}, steps, options, completion);
}

ir::Block apply(transforms::Builder& builder, Place place, const Steps& steps,
                const ScheduleOptions& options, Completion* completion) {
  const ir::StructuredOp op = place.op;
  std::vector<StepError> errors;
  ir::Block block = apply(builder, std::move(place), steps, options, errors, completion);
  mustBeDone(builder.kernel(), errors, op, steps);
  return block;
}

void mustBeDone(const ir::Kernel& kernel, const std::vector<StepError>& errors,
                const ir::StructuredOp& op, const Steps& steps) {
  if (errors.empty()) return;
  TextWriter text;
  print(steps, text);
  const std::string message = "a bug in einc: " + errors[0].message + "\n" +
                              ir::printStatement(kernel, {op}) + "\n" + text.take();
  llvm::report_fatal_error(llvm::StringRef(message));
}

}  // namespace einc::strategy
