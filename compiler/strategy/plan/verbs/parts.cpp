// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   parts k by 4096 as k_part { ... } fill { ... } combine { ... } rest { ... }
//
// IR before and after stands in transforms/split.h; each op of it is done by the list of its name.
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/split.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;

std::optional<std::string> cannotPart(const Work& work, const At& here, const PartsStep& step) {
  if (!work.isLast()) return "what follows 'parts' stands in its lists";
  if (auto why = work.cannotCut(here, step.iterator)) return why;
  if (!here.isReduction(step.iterator)) return "'" + step.iterator + "' is no reduction";
  if (!work.mayReorder(here)) return orderText(work, step.iterator);
  if (here.isTiled) return "'parts' takes memory, once: it stands before all tiles";
  if (here.streaming) return "'parts' stands before 'non_temporal'";
  if (isTaken(work, here, step.name))
    return "there is something called '" + step.name + "' already";
  return std::nullopt;
}

}  // namespace

ir::Block apply(const Work& work, At here, const PartsStep& step) {
  if (auto why = cannotPart(work, here, step)) return work.refuse(here, *why);
  auto by = work.number(here, step.by);
  if (!by) return work.refuse(here, by.reason());
  const std::string name = here.actualName(step.iterator);
  if (!here.minima.isPositive(facts::Signs(work.builder.kernel()), *by, transforms::constant(1)))
    return work.refuse(here, "a part has 1 position or more");
  settle(here, /*isInside=*/false);
  here.contiguous.clear();
  here.left.clear();
  const PartsNames names = partsNames(here.names, here.op.outputs.size());
  const std::pair<const Steps*, const std::vector<OperandName>*> lists[] = {
      {&step.fill, &names.fill},
      {&step.parts, &names.parts},
      {&step.combine, &names.combine},
      {&step.rest, &names.rest}};
  std::string part;
  size_t next = 0;
  ir::Block block;
  for (ir::Stmt& stmt : transforms::splitReduction(work.builder, here.op, name, *by, step.name)) {
    auto* op = std::get_if<ir::StructuredOp>(&stmt.node);
    if (!op) {
      block.push_back(std::move(stmt));
      continue;
    }
    if (next == 0) part = op->iterators[0].name;
    At inside = here;
    inside.op = std::move(*op);
    inside.names = *lists[next].second;
    inside.isReady = false;
    if (next < 3) inside.actual[step.name] = part;
    if (auto known = by->asConstant()) inside.limit(name, *known);
    transforms::append(block, work.start(std::move(inside), *lists[next++].first));
  }
  return block;
}

}  // namespace einc::strategy
