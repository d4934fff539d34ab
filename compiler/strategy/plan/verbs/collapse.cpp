// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   collapse n, oh, ow as m
//   tables m
#include "compiler/strategy/collapse.h"

#include <utility>

#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

std::optional<std::string> cannotCollapse(const At& here, const CollapseStep& step) {
  if (step.iterators.size() < 2) return "several iterators become one: collapse m, n as m";
  std::vector<std::string> group;
  for (const std::string& name : step.iterators) {
    if (!here.find(name)) return noIterator(here, name);
    if (here.isReduction(name)) return "'" + name + "' is a reduction";
    group.push_back(here.actualName(name));
    if (llvm::count(group, group.back()) > 1) return "'" + name + "' stands twice";
  }
  for (size_t i = 0; i < here.op.operandCount(); ++i) {
    if (i < here.op.inputs.size() && !ir::readsOperand(here.op, i)) continue;  // a region's
    const std::vector<std::string> used = transforms::iteratorsOf(here.op.operand(i));
    auto has = [&](const std::string& name) { return llvm::is_contained(used, name); };
    if (llvm::any_of(group, has) && !llvm::all_of(group, has))
      return "an operand has some of them, and others not";
  }
  return std::nullopt;
}

}  // namespace

ir::Block apply(const Work& work, At here, const CollapseStep& step) {
  for (const std::string& name : step.iterators)
    if (auto why = here.find(name) ? work.cannotCut(here, name) : std::nullopt)
      return work.refuse(here, *why);
  if (auto why = cannotCollapse(here, step)) return work.refuse(here, *why);
  if (here.streaming) return work.refuse(here, "'collapse' stands before 'non_temporal'");
  const bool isOwn = llvm::is_contained(step.iterators, step.name);
  if (!isOwn && isTaken(work, here, step.name))
    return work.refuse(here, "there is something called '" + step.name + "' already");
  std::vector<std::string> group;
  for (const std::string& name : step.iterators) group.push_back(here.actualName(name));
  ir::Block block;
  const std::string one = collapse(work.builder, here.op, group, block);
  for (const std::string& name : group) {
    here.most.erase(name);
    here.rooms.erase(name);
    std::erase_if(here.contiguous, [&](const auto& fact) { return fact.second == name; });
    std::erase_if(here.strided, [&](const auto& fact) { return fact.second == name; });
  }
  here.actual[step.name] = one;
  here.collapsed.insert(one);
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

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
