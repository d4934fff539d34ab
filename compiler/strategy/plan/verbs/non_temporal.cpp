// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   non_temporal C
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {

ir::Block apply(const Work& work, At here, const NonTemporalStep& step) {
  auto which = here.operand(step.operand);
  if (!which) return work.refuse(here, noOperand(here, step.operand));
  if (*which < here.op.inputs.size())
    return work.refuse(here,
                       step.operand.str() + " is an input: what is stored goes around the caches");
  if (here.streaming) return work.refuse(here, "an output goes around the caches already");
  here.streaming = Streaming{*which};
  const unsigned tensor = here.op.operand(*which).tensor;
  return transforms::only({ir::NonTemporal{tensor, work.rest(std::move(here))}});
}

}  // namespace einc::strategy
