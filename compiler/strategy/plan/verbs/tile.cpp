// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   tile m by 64 on threads (131072)
#include "compiler/transforms/tile.h"

#include <utility>

#include "compiler/strategy/grain.h"
#include "compiler/strategy/plan/verbs/place.h"

namespace einc::strategy {
ir::Block apply(const Work& work, At here, const TileStep& step) {
  auto by = work.number(here, step.by);
  if (!by) return work.refuse(here, by.reason());
  if (auto why = work.cannotTile(here, step.iterator, *by)) return work.refuse(here, *why);
  const std::string name = here.actualName(step.iterator);
  const affine::Expr extent = work.extent(here, name);
  if (!here.minima.isPositive(facts::Signs(work.builder.kernel()), *by, extent))
    return work.refuse(here, "a tile has 1 position or more");
  if (step.threads && here.isReduction(step.iterator))
    return work.refuse(here,
                       "'" + step.iterator + "' is a reduction: threads share loops over results");
  if (work.options.target->device && step.threads)
    return work.refuse(here, "a device has no threads: bind " + step.iterator);
  if (work.options.target->device && here.isReduction(step.iterator) && !here.bound)
    return work.refuse(here, "loops over results are around those of reductions: bind one before");
  for (const auto& [input, packed] : here.packed)
    if (packed.across == name && by->asConstant().value_or(1) % packed.width != 0)
      return work.refuse(here, *work.waits(here));
  transforms::Tiling tiling{name, *by};
  if (step.threads)
    tiling = amongThreads(work.builder, work.options.threads, here.op, tiling, step.threads->work,
                          step.threads->outer);
  const bool isShared = tiling.grain.has_value();
  return transforms::only(
      transforms::tile(work.builder, here.op, tiling, [&](const transforms::Tile& tile) {
        At inner = here;
        inner.op = tile.op;
        inner.isInLoop = !isShared;
        inner.isTiled = true;
        inner.isBindable = false;
        if (here.isReduction(step.iterator)) inner.terms.add(tile, extent);
        inner.rooms.erase(name);
        for (const auto& [called, let] : here.lets)
          if (let.isOutside && *by == let.value) inner.rooms[name] = *by;
        if (auto most = here.minima.mostOf(*by)) inner.limit(name, *most);
        const affine::Expr origin = transforms::at(tile.origin);
        inner.move(name, *by,
                   *by == transforms::constant(1) ? origin : origin + transforms::at(name));
        auto known = by->asConstant(), all = extent.asConstant();
        if (known && all && *all % *known != 0) inner.left[name] = {*known, *all % *known};
        inner.least.erase(name);
        if (known && all && *all > 0)
          inner.least[name] = *all % *known == 0 ? *known : *all % *known;
        if (inner.find(name)) inner.minima.assumePositive(work.extent(inner, name));
        ir::Block block, memory;
        lookAtPanels(work, inner, name, transforms::at(tile.origin), by->asConstant().value_or(0),
                     block);
        ir::Block rest =
            isShared ? work.rest(std::move(inner), memory) : work.rest(std::move(inner));
        transforms::append(block, std::move(memory));
        transforms::append(block, std::move(rest));
        return block;
      }));
}

}  // namespace einc::strategy
