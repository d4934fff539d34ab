// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   tables m
#include <algorithm>

#include "compiler/strategy/collapse.h"
#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {
namespace {

// Whether bounds are tested where the operand is read.
bool isTested(const At& here, size_t operand) {
  if (!here.spec || operand >= here.tensors.size() || here.bordered.count(operand) != 0)
    return false;
  size_t next = 0;
  for (const ir::Operand& input : here.spec->inputs)
    if (!input.shapeOnly && next++ == operand) return input.pad != nullptr;
  return false;
}

}  // namespace

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
  const int64_t several = here.collapsed.at(name);
  for (size_t i = 0; i < here.op.operandCount(); ++i) {
    const bool hasRoom = several <= kMostInTable / std::max<int64_t>(most->second, 1);
    offsetTable(work.builder, here.op.operand(i), name, most->second, block,
                isTested(here, i) && hasRoom ? several : 0);
  }
  transforms::append(block, work.rest(here));
  return block;
}

}  // namespace einc::strategy
