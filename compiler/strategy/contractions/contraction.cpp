// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/contractions/contraction.h"

#include <optional>
#include <utility>

#include "compiler/ir/shape.h"
#include "compiler/strategy/contractions/direct.h"
#include "compiler/strategy/contractions/in_place.h"
#include "compiler/strategy/contractions/layout.h"
#include "compiler/strategy/contractions/nest.h"
#include "compiler/strategy/contractions/panels.h"
#include "compiler/strategy/model.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
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
std::vector<OperandName> namesOf(std::vector<OperandName> names, const ir::StructuredOp& op,
                                 const Region& region) {
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

// What is said of it.
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

ContractionTiles tilesOf(const ir::Kernel& kernel, const ir::StructuredOp& op, const Groups& groups,
                         const ScheduleOptions& options, OpSettings& settings) {
  auto count = [&](const std::vector<std::string>& iterators) {
    Expr all = constant(1);
    for (const std::string& name : iterators) all = all * ir::extentOf(kernel, op, name)->extent;
    return all.asConstant().value_or(INT64_MAX);
  };
  const Extents extents = {count(groups.m), count(groups.n), count(groups.k)};
  return contractionTiles(*options.target, transforms::registerBytes(op),
                          static_cast<int>(op.outputs.size()), extents, settings);
}

// The best forms of a product, by what holds.
Steps product(const ir::Kernel& kernel, const ir::StructuredOp& op,
              const std::vector<OperandName>& own, const std::vector<ir::StructuredOp>& ops,
              Groups groups, const ScheduleOptions& options, OpSettings& settings,
              OpReport& report) {
  const ContractionTiles tiles = tilesOf(kernel, op, groups, options, settings);
  note(groups, tiles, report);
  Steps steps;
  // Where it is known that there is nothing, nothing else writes the output.
  const bool isEmpty = llvm::any_of(op.iterators, [&](const ir::Iterator& i) {
    return ir::extentOf(kernel, op, i.name)->extent.asConstant() == 0;
  });
  if (isEmpty && ops.size() == 1) return {LoopsStep{}};
  ir::Kernel aside = kernel;  // where the op is looked at
  transforms::Builder builder(aside);
  Region region(builder, ops);
  const std::vector<OperandName> names = namesOf(own, op, region);
  ir::StructuredOp before = op;
  if (transforms::mayReorder(op, options.keepsOrder)) orderSums(op, groups);
  if (auto copy = arrange(builder, before, groups, options)) {
    steps.push_back(std::move(*copy));
    report.lines.push_back("the input contiguous along another iterator of N is transposed first");
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
  if (rows) report.lines.push_back(rows->line);
  if (direct) report.lines.push_back(direct->line);
  Steps forms = inPanels(what);
  auto where = [&](auto& form) {
    forms = {WhenStep{std::move(form->tests), std::move(form->steps), std::move(forms)}};
  };
  if (rows && !rows->isFirst) where(rows);
  if (direct) where(direct);
  if (rows && rows->isFirst) where(rows);
  WhenStep when{{}, isEmpty ? Steps{LoopsStep{}} : std::move(forms), {}};
  for (const std::string& name : needed(op, options)) when.tests.push_back(isPositive(name));
  steps.push_back(std::move(when));
  return steps;
}

// Loops around products of matrices, if that pays.
std::optional<ContractionSteps> nested(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                       const std::vector<OperandName>& names, const Groups& groups,
                                       const ScheduleOptions& options, OpSettings& settings,
                                       OpReport& report) {
  auto wanted = settings.word("nest", {"yes", "no"});
  if (wanted == "no") return std::nullopt;
  const auto line = static_cast<ptrdiff_t>(report.lines.size());
  ScheduleOptions inside = options;
  inside.threads = 1;
  bool isFirst = true;
  auto onProduct = [&](const ir::Kernel& aside, const ir::StructuredOp& inner) {
    auto left = contractionGroups(aside, inner);
    if (!left) return Steps();  // one column
    OpReport unread{};
    return product(aside, inner, names, {inner}, *left, inside, settings,
                   std::exchange(isFirst, false) ? report : unread);
  };
  auto result = nest(kernel, op, names, groups, options, onProduct);
  auto say = [&](const std::string& what) {
    report.lines.insert(report.lines.begin() + line, what);
  };
  if (result) {
    report.settings.insert(report.settings.begin(), {"nest", "yes"});
    say(result->line);
    return ContractionSteps{std::move(result->steps), result->isAll};
  }
  if (wanted) settings.refuse("nest", "no loops around products of matrices: " + result.reason());
  say("not as loops around products of matrices: " + result.reason());
  return std::nullopt;
}

}  // namespace

ContractionSteps contractionSteps(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                  const std::vector<OperandName>& names,
                                  const std::vector<ir::StructuredOp>& ops, const Groups& groups,
                                  const ScheduleOptions& options, OpSettings& settings,
                                  OpReport& report) {
  if (ops.size() == 1 && groups.m.size() + groups.n.size() > 2)
    if (auto loops = nested(kernel, op, names, groups, options, settings, report)) return *loops;
  return {product(kernel, op, names, ops, groups, options, settings, report)};
}

}  // namespace einc::strategy
