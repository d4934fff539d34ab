// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   bind n by 4 to invocations
//
//   before  op (m: parallel, n: parallel) ins(%A[m, n]) outs(%B[m, n]) { ... }
//   after   tile n0 : n0_size = 0 .. N by 4 parallel on grid {
//             view %A_n0 ...  view %B_n0 ...
//             op (m: parallel, n: parallel) ins(%A_n0[m, n]) outs(%B_n0[m, n]) { ... }
//           }
//
// transforms/distribute makes dispatches of such loops.
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/transforms/tile.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using To = BindStep::To;

// Loops that run at once stand in each other; in workgroups there may be loops in order.
std::optional<std::string> cannotBind(const Work& work, const At& here, const std::string& iterator,
                                      const Expr& by, To to) {
  if (!work.options.target->device)
    return std::string(work.options.target->name) + " has no workgroups and invocations";
  if (auto why = work.cannotTile(here, iterator, by)) return why;
  if (here.isReduction(iterator))
    return "'" + iterator + "' is a reduction: what is bound are loops over results";
  if (to == To::Workgroups && here.bound == To::Invocations)
    return "workgroups stand around invocations: bind " + iterator + " before";
  const bool isInGroup = to == To::Invocations && here.bound == To::Workgroups;
  if (!here.isBindable && !isInGroup)
    return "a loop in order, or a way of 'when', stands between: bind " + iterator + " before";
  return std::nullopt;
}

// The loops of the step from that one on, in each other.
ir::Block bindFrom(const Work& work, At here, const BindStep& step, size_t next) {
  if (next == step.loops.size()) return work.rest(std::move(here));
  const std::string& iterator = step.loops[next].iterator;
  auto by = work.number(here, step.loops[next].by);
  if (!by) return work.refuse(here, by.reason());
  if (auto why = cannotBind(work, here, iterator, *by, step.to)) return work.refuse(here, *why);
  const std::string name = here.actualName(iterator);
  const Expr extent = work.extent(here, name);
  if (!here.minima.isPositive(facts::Signs(work.builder.kernel()), *by, extent))
    return work.refuse(here, "a block has 1 position or more");
  ir::TileLoop loop =
      transforms::tileLoop(work.builder, name + "0", extent, *by, ir::IteratorKind::Parallel);
  loop.on = step.to == To::Workgroups ? ir::On::WorkgroupsX
            : here.bound              ? ir::On::Invocations
                                      : ir::On::Grid;
  if (here.bound == To::Invocations) loop.on = here.on;
  const Expr origin = transforms::at(loop.var);
  const bool isOne = *by == transforms::constant(1);
  std::vector<transforms::Dimension> dims;
  if (!isOne)
    dims.push_back({name, isWhole(here, extent, *by) ? *by : transforms::size(loop.size),
                    transforms::constant(1)});
  here.op =
      transforms::onPositions(work.builder, here.op, name, dims, origin, "_" + loop.var, loop.body);
  if (!here.bound) here.sharedBytes = std::make_shared<int64_t>(0);
  here.bound = step.to;
  here.on = loop.on;
  here.isBindable = here.isTiled = here.isInLoop = true;
  if (auto most = here.minima.mostOf(*by)) here.limit(name, *most);
  here.move(name, *by, isOne ? origin : origin + transforms::at(name));
  if (here.find(name)) here.minima.assumePositive(work.extent(here, name));
  transforms::append(loop.body, bindFrom(work, std::move(here), step, next + 1));
  return transforms::only({std::move(loop)});
}

}  // namespace

ir::Block apply(const Work& work, At here, const BindStep& step) {
  if (llvm::any_of(step.loops, [](const BindStep::Loop& loop) { return loop.over.has_value(); }))
    return bindOver(work, std::move(here), step);
  return bindFrom(work, std::move(here), step, 0);
}

}  // namespace einc::strategy
