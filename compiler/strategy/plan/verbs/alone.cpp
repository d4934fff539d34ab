// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   alone { tile n by 16 vectorize (n: 16) }
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {

ir::Block apply(const Work& work, At here, const AloneStep& step) {
  if (!work.isLast()) return work.refuse(here, "nothing follows 'alone': the op is done");
  if (auto why = work.waits(here)) return work.refuse(here, *why);
  At own;
  own.actual = here.actual;
  own.op = std::move(here.op);
  own.names = std::move(here.names);
  own.isOnThreads = here.isOnThreads;
  ScheduleOptions options = work.options;
  options.threads = 1;
  return work.with(options).start(std::move(own), step.steps);
}

}  // namespace einc::strategy
