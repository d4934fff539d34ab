// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   collapse n, oh, ow as m
#include "compiler/strategy/collapse.h"

#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

std::optional<std::string> cannotCollapse(const Work& work, const At& here,
                                          const std::vector<std::string>& iterators) {
  if (iterators.size() < 2) return "several iterators become one: collapse m, n as m";
  std::vector<std::string> group;
  for (const std::string& name : iterators) {
    if (auto why = work.isHeld(here, name)) return why;
    if (here.isReduction(name) != here.isReduction(iterators[0]))
      return "'" + iterators[0] + "' and '" + name +
             "' are a reduction and none: iterators of one kind become one";
    group.push_back(here.actualName(name));
    if (llvm::count(group, group.back()) > 1) return "'" + name + "' stands twice";
  }
  for (const ir::Operand& output : here.op.outputs) {
    const std::vector<std::string> used = transforms::iteratorsOf(output);
    auto has = [&](const std::string& name) { return llvm::is_contained(used, name); };
    if (llvm::any_of(group, has) && !llvm::all_of(group, has))
      return "an output has some of them, and others not";
  }
  if (!here.isReduction(iterators[0]) || work.mayReorder(here)) return std::nullopt;
  std::vector<std::string> reductions;
  for (const ir::Iterator& i : here.op.iterators)
    if (i.kind == ir::IteratorKind::Reduction) reductions.push_back(i.name);
  return group == reductions ? std::nullopt : std::optional(orderText(work, iterators[0]));
}

const Line& lineAlong(const Work& work, At& here, const std::vector<std::string>& group,
                      ir::Block& block) {
  auto isSame = [](const ir::StructuredOp& a, const ir::StructuredOp& b) {
    bool same = a.operandCount() == b.operandCount() && a.iterators == b.iterators;
    for (size_t i = 0; same && i < a.operandCount(); ++i)
      same = a.operand(i).tensor == b.operand(i).tensor && a.operand(i).map == b.operand(i).map;
    return same;
  };
  if (here.line && here.line->group == group && isSame(here.line->before, here.op))
    return *here.line;
  Line line{group, here.op, here.op, "", {}};
  line.iterator = collapse(work.builder, line.op, group, block);
  return here.line.emplace(std::move(line));
}

ir::Block apply(const Work& work, At here, const CollapseStep& step) {
  if (auto why = cannotCollapse(work, here, step.iterators)) return work.refuse(here, *why);
  if (here.streaming) return work.refuse(here, "'collapse' stands before 'non_temporal'");
  const bool isOwn = llvm::is_contained(step.iterators, step.name);
  if (!isOwn && isTaken(work, here, step.name))
    return work.refuse(here, "there is something called '" + step.name + "' already");
  std::vector<std::string> group;
  for (const std::string& name : step.iterators) group.push_back(here.actualName(name));
  ir::Block block;
  const Line line = lineAlong(work, here, group, block);
  here.line.reset();
  here.op = line.op;
  for (const std::string& name : group) {
    here.most.erase(name);
    here.rooms.erase(name);
    here.forgetNeighbours(name);
    std::erase_if(here.strided, [&](const auto& fact) { return fact.second == name; });
  }
  for (size_t operand : line.contiguous) here.contiguous.emplace(operand, line.iterator);
  here.actual[step.name] = line.iterator;
  here.collapsed[line.iterator] = group;
  transforms::append(block, work.rest(std::move(here)));
  return block;
}

}  // namespace einc::strategy
