// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   function tile { vectorize (m: 8, n: 48) }
#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {

ir::Block apply(const Work& work, const At& here, const FunctionStep& step) {
  if (!work.isLast()) return work.refuse(here, "what follows 'function' stands in it");
  if (auto why = work.waits(here); why && !here.op.copied) return work.refuse(here, *why);
  ir::Block body = work.run(here, step.body);
  return transforms::only({ir::Outline{work.builder.name(step.name), std::move(body)}});
}

}  // namespace einc::strategy
