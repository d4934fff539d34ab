// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   tables m
#include "compiler/strategy/collapse.h"
#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {

ir::Block apply(const Work& work, const At& here, const TablesStep& step) {
  if (!here.find(step.iterator)) return work.refuse(here, noIterator(here, step.iterator));
  const std::string name = here.actualName(step.iterator);
  if (here.collapsed.count(name) == 0)
    return work.refuse(here,
                       "'" + step.iterator + "' is not several iterators: collapse them before");
  auto most = here.most.find(name);
  if (most == here.most.end() || most->second > kMostInTable)
    return work.refuse(here, "'" + step.iterator + "' may have more than " +
                                 std::to_string(kMostInTable) + " positions: tile it before");
  ir::Block block;
  offsetTables(work.builder, here.op, name, most->second, block);
  transforms::append(block, work.rest(here));
  return block;
}

}  // namespace einc::strategy
