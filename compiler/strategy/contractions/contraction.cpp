// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/contraction.h"

#include <optional>
#include <utility>

#include "compiler/strategy/contractions/direct.h"
#include "compiler/strategy/contractions/in_place.h"
#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/contractions/panels.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::constant;

// All of `some` are among `all`.
bool implies(const std::vector<Test>& all, const std::vector<Test>& some) {
  return llvm::all_of(some, [&](const Test& test) { return llvm::is_contained(all, test); });
}

Test isPositive(const std::string& iterator) {
  return {Test::Kind::LessEqual, constant(1), extentOf(iterator)};
}

// Those whose extents have to be positive: nothing is to be added up otherwise.
std::vector<std::string> needed(const ir::StructuredOp& op, const ScheduleOptions& options) {
  std::vector<std::string> names;
  for (const ir::Iterator& i : op.iterators)
    if (i.kind == ir::IteratorKind::Reduction || options.threads > 1) names.push_back(i.name);
  return names;
}

// The operands' names, those of ops that are done on the tiles included.
std::vector<OperandName> namesOf(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                 const Region& region) {
  std::vector<OperandName> names = operandNames(kernel, op);
  if (region.isAlone()) return names;
  const std::vector<OperandName> attached = region.attachedNames(names);
  names.insert(names.end() - static_cast<ptrdiff_t>(op.outputs.size()), attached.begin(),
               attached.end());
  return names;
}

// Of what is written in the end.
std::vector<OperandName> written(const ir::StructuredOp& op, const Region& region,
                                 const std::vector<OperandName>& names) {
  std::vector<OperandName> result;
  for (const ir::Operand& output : region.written(op))
    for (size_t i = op.operandCount(); i-- > 0;)
      if (op.operand(i).tensor == output.tensor && op.operand(i).map == output.map) {
        result.push_back(names[i]);
        break;
      }
  return result;
}

}  // namespace

void note(const Groups& groups, const ContractionTiles& tiles, OpReport& report) {
  report.strategy = "contraction";
  report.settings = {{"mr", std::to_string(tiles.mr)},
                     {"nr", std::to_string(tiles.nr)},
                     {"kc", std::to_string(tiles.kc)},
                     {"mc", std::to_string(tiles.mc)},
                     {"nc", std::to_string(tiles.nc)}};
  report.lines.push_back((groups.batch.empty() ? "" : groupText("batch", groups.batch) + ", ") +
                         groupText("M", groups.m) + ", " + groupText("N", groups.n) + ", " +
                         groupText("K", groups.k) +
                         ": packed panels and a register tile, vectors along N");
  report.lines.insert(report.lines.end(), tiles.reasons.begin(), tiles.reasons.end());
}

ContractionSteps contractionSteps(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                  const std::vector<ir::StructuredOp>& ops, Groups groups,
                                  const ContractionTiles& tiles, const ScheduleOptions& options) {
  ContractionSteps result;
  ir::Kernel aside = kernel;  // where the op is looked at
  transforms::Builder builder(aside);
  Region region(builder, ops);
  const std::vector<OperandName> names = namesOf(kernel, op, region);
  ir::StructuredOp before = op;
  if (transforms::mayReorder(op, options.keepsOrder)) orderSums(op, groups);
  if (auto copy = arrange(builder, before, groups, options)) {
    result.steps.push_back(std::move(*copy));
    result.lines.push_back("the input contiguous along another iterator of N is transposed first");
  }
  ir::StructuredOp canonical = before;
  ir::Block unread;
  transforms::canonicalize(builder, canonical, unread);
  region.attach(canonical, unread);
  const Contraction what{
      aside,  before, canonical, names, written(canonical, region, names), region.isAlone(),
      groups, tiles,  options};
  auto rows = inPlace(what);
  auto direct = directly(what);
  if (rows && !rows->isFirst && direct && implies(rows->tests, direct->tests)) rows.reset();
  if (rows) result.lines.push_back(rows->line);
  if (direct) result.lines.push_back(direct->line);
  Steps steps = inPanels(what);
  auto where = [&](auto& form) {
    steps = {WhenStep{std::move(form->tests), std::move(form->steps), std::move(steps)}};
  };
  if (rows && !rows->isFirst) where(rows);
  if (direct) where(direct);
  if (rows && rows->isFirst) where(rows);
  WhenStep when{{}, std::move(steps), {}};
  for (const std::string& name : needed(op, options)) when.tests.push_back(isPositive(name));
  // Where it is known that there is nothing, nothing else writes the output.
  const bool isEmpty = llvm::any_of(op.iterators, [&](const ir::Iterator& i) {
    return builder.extent(op, i.name).asConstant() == 0;
  });
  if (isEmpty && region.isAlone()) when.otherwise = {LoopsStep{}};
  result.steps.push_back(std::move(when));
  return result;
}

}  // namespace einc::strategy
