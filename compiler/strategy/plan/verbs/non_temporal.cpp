// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   non_temporal C
#include <utility>

#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {
namespace {

// Along what it is known that lines of the output begin at multiples of so many of its elements: the most that is known.
Streaming streamingOf(const Work& work, const At& here, size_t operand) {
  const ir::Operand& of = here.op.operand(operand);
  Streaming best{operand};
  for (const ir::Condition& condition : here.conditions) {
    if (condition.kind != ir::Condition::Kind::Aligned || condition.tensor != of.tensor) continue;
    const auto along = of.map[condition.dim].asIterator();
    const auto bytes = condition.left.asConstant();
    if (along && bytes && *bytes / work.bytesOf(of) > best.unit)
      best = {operand, *along, *bytes / work.bytesOf(of)};
  }
  return best;
}

}  // namespace

ir::Block apply(const Work& work, At here, const NonTemporalStep& step) {
  auto which = here.operand(step.operand);
  if (!which) return work.refuse(here, noOperand(here, step.operand));
  if (*which < here.op.inputs.size())
    return work.refuse(here,
                       step.operand.str() + " is an input: what is stored goes around the caches");
  if (here.streaming) return work.refuse(here, "an output goes around the caches already");
  here.streaming = streamingOf(work, here, *which);
  const unsigned tensor = here.op.operand(*which).tensor;
  return transforms::only({ir::NonTemporal{tensor, work.rest(std::move(here))}});
}

}  // namespace einc::strategy
