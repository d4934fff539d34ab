// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   results (m: 8, n: 4) { ... vectorize (m: 8, n: 4, k: 16) ... }
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {

ir::Block apply(const Work& work, At here, const ResultsStep& step) {
  if (!work.isLast()) return work.refuse(here, "what follows 'results' stands in it");
  if (auto why = work.waits(here)) return work.refuse(here, *why);
  if (!here.region || here.region->isAlone())
    return work.refuse(here, "no other ops are done on the results");
  for (const ir::Axis& axis : step.axes) {
    if (!here.find(axis.name)) return work.refuse(here, noIterator(here, axis.name));
    here.op.axes.push_back({here.actualName(axis.name), axis.size});
  }
  At inner = here;
  inner.region = nullptr;
  return here.region->tile(here.op, here.terms, [&](const ir::StructuredOp& op) {
    inner.op = op;
    inner.op.axes.clear();
    return work.run(inner, step.body);
  });
}

}  // namespace einc::strategy
