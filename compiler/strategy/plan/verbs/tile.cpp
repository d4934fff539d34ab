// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   tile m by 64 on threads (131072)
#include "compiler/transforms/tile.h"

#include <utility>

#include "compiler/strategy/grain.h"
#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {
ir::Block apply(const Work& work, At here, const TileStep& step) {
  if (auto why = work.cannotCut(here, step.iterator, /*panels=*/true))
    return work.refuse(here, *why);
  auto by = work.number(here, step.by);
  if (!by) return work.refuse(here, by.reason());
  if (!isPositive(work, here, *by, work.extent(here, here.actualName(step.iterator))))
    return work.refuse(here, "a tile has 1 position or more");
  if (step.threads && here.isReduction(step.iterator))
    return work.refuse(here,
                       "'" + step.iterator + "' is a reduction: threads share loops over results");
  const std::string name = here.actualName(step.iterator);
  for (const auto& [input, packed] : here.packed)
    if (packed.across == name && by->asConstant().value_or(1) % packed.width != 0)
      return work.refuse(here, *work.waits(here));
  transforms::Tiling tiling{name, *by};
  if (step.threads)
    tiling = amongThreads(work.builder, work.options.threads, here.op, tiling, step.threads->work,
                          step.threads->outer);
  return transforms::only(
      transforms::tile(work.builder, here.op, tiling, [&](const transforms::Tile& tile) {
        At inner = here;
        inner.op = tile.op;
        inner.isTiled = true;
        if (auto known = by->asConstant()) inner.limit(name, *known);
        const affine::Expr origin = transforms::at(tile.origin);
        inner.move(name, *by,
                   *by == transforms::constant(1) ? origin : origin + transforms::at(name));
        auto known = by->asConstant(), all = work.extent(here, name).asConstant();
        if (known && all && *all % *known != 0) inner.left[name] = {*known, *all % *known};
        ir::Block block;
        lookAtPanels(work, inner, name, transforms::at(tile.origin), by->asConstant().value_or(0),
                     block);
        transforms::append(block, work.rest(std::move(inner)));
        return block;
      }));
}

}  // namespace einc::strategy
