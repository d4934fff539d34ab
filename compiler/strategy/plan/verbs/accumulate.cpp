// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   accumulate (n: 64)
#include "compiler/transforms/accumulate.h"

#include <utility>

#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/combiner.h"

namespace einc::strategy {

ir::Block apply(const Work& work, At here, const AccumulateStep& step) {
  if (!work.isLast()) return work.refuse(here, "nothing follows 'accumulate': the op is done");
  if (auto why = work.waits(here)) return work.refuse(here, *why);
  const bool hasVectors = work.options.target->vectorBytes > 0;
  if (auto why = hasVectors ? work.noVectors(here) : std::nullopt) return work.refuse(here, *why);
  const ir::Iterator* found = here.find(step.iterator);
  if (!found) return work.refuse(here, noIterator(here, step.iterator));
  if (found->kind != ir::IteratorKind::Reduction)
    return work.refuse(here, "'" + step.iterator + "' is no reduction");
  for (const ir::Iterator& i : here.op.iterators)
    if (i.kind == ir::IteratorKind::Parallel)
      return work.refuse(here, "'" + i.name + "' has to be done before: tile " + i.name + " by 1");
  if (!work.mayReorder(here) || !transforms::partsOf(here.op))
    return work.refuse(here, orderText(work, step.iterator));
  const bool isPower = step.width > 0 && (step.width & (step.width - 1)) == 0;
  const int64_t lanesOfVector = hasVectors ? work.lanes(here) : 1;
  if (!isPower || step.width > kMostLanes * lanesOfVector)
    return work.refuse(here, "expected a power of 2, of at most " + std::to_string(kMostLanes) +
                                 (hasVectors ? " vectors" : " sums"));
  transforms::LanesOfSum lanes{
      found->name, step.width, {}, work.options.target->hasMasks, hasVectors};
  if (auto why = askAhead(here, step.ahead)) return work.refuse(here, *why);
  lanes.ahead = std::exchange(here.op.ahead, std::nullopt);
  return transforms::accumulateInLanes(work.builder, here.op, lanes);
}

}  // namespace einc::strategy
