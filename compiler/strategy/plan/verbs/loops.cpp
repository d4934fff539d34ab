// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   loops
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {

ir::Block apply(const Work& work, At here, const LoopsStep&) {
  if (!work.isLast()) return work.refuse(here, "nothing follows 'loops': the op is done");
  if (auto why = work.waits(here)) return work.refuse(here, *why);
  return sumOnAxes(work, here, here.op);
}

}  // namespace einc::strategy
