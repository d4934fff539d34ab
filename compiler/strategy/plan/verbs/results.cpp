// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   results (m: 8, n: 4) { ... vectorize (m: 8, n: 4, k: 16) ... }
#include <utility>

#include "compiler/strategy/plan/limits.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

std::vector<OperandName> namesOfSum(const At& here, const ir::StructuredOp& op) {
  auto inputs = llvm::count_if(op.inputs, [](const ir::Operand& i) { return !i.shapeOnly; });
  std::vector<OperandName> names(here.names.begin(), here.names.begin() + inputs);
  names.insert(names.end(), here.names.end() - static_cast<ptrdiff_t>(op.outputs.size()),
               here.names.end());
  return names;
}

std::optional<std::string> Work::noTile(const At& here, const std::vector<ir::Axis>& axes,
                                        std::vector<std::string>& names) const {
  int64_t positions = 1;
  for (const ir::Axis& axis : axes) {
    if (!here.find(axis.name)) return noIterator(here, axis.name);
    if (here.isReduction(axis.name)) return "'" + axis.name + "' is a reduction";
    const std::string name = here.actualName(axis.name);
    if (llvm::is_contained(names, name)) return "'" + axis.name + "' stands twice";
    names.push_back(name);
    if (axis.size < 1 || axis.size > kMostInScratch) return "a tile on the stack is small";
    positions *= axis.size;
    if (positions > kMostInScratch) return "a tile on the stack is small";
    auto known = extent(here, name).asConstant();
    auto most = here.most.find(name);
    if (!(known && *known <= axis.size) && !(most != here.most.end() && most->second <= axis.size))
      return "'" + axis.name + "' may have more than " + std::to_string(axis.size) +
             " positions: tile " + axis.name + " by " + std::to_string(axis.size) + " before";
  }
  return std::nullopt;
}

ir::Block apply(const Work& work, At here, const ResultsStep& step) {
  if (!work.isLast()) return work.refuse(here, "what follows 'results' stands in it");
  if (auto why = work.waits(here)) return work.refuse(here, *why);
  if (work.options.target->device) return resultsInRegisters(work, std::move(here), step);
  if (!here.region) return work.refuse(here, "no other ops are done on the results");
  std::vector<std::string> names;
  std::vector<ir::Axis> axes;
  for (const ResultsStep::Side& side : step.sides) {
    if (side.over)
      return work.refuse(here, "'over' says how many invocations of a device there are");
    axes.push_back(side.axis);
  }
  if (auto why = work.noTile(here, axes, names)) return work.refuse(here, *why);
  for (size_t i = 0; i < names.size(); ++i) axes[i].name = names[i];
  if (auto why = work.noResults(here, axes)) return work.refuse(here, *why);
  At inner = here;
  inner.region = nullptr;
  here.op.axes = axes;
  return here.region->tile(here.op, here.onTile, here.terms, [&](const ir::StructuredOp& op) {
    inner.op = op;
    inner.op.axes.clear();
    inner.names = namesOfSum(here, op);
    return work.run(inner, step.body);
  });
}

}  // namespace einc::strategy
