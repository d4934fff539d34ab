// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   tile m by 64 on threads (131072)
#include "compiler/transforms/tile.h"

#include <utility>

#include "compiler/strategy/grain.h"
#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

// Why a tile of a reduction cannot leave sums unfinished on which other ops are to be done.
std::optional<std::string> cannotLeaveSums(const Work& work, const At& here, const TileStep& step,
                                           const std::string& name) {
  if (!here.region || !here.isReduction(step.iterator)) return std::nullopt;
  const affine::Expr extent = work.extent(here, name);
  if (extent.asConstant().value_or(0) < 1 && !here.minima.isAssumedPositive(extent))
    return "where there are no terms, other ops are to be done, too: when 1 <= " + step.iterator +
           " { } before";
  if (here.sums) return std::nullopt;
  std::vector<std::string> memory;
  for (const ir::Iterator& i : here.op.iterators)
    if (i.kind == ir::IteratorKind::Parallel) memory.push_back(i.name + ": " + i.name);
  return "sums that a tile of '" + step.iterator + "' leaves unfinished are kept: keep (" +
         joined(memory) + ") before";
}

// Ops that share the loop: what counts is the elements that all of them read and write.
transforms::Tiling sharedOut(const Work& work, const At& here, transforms::Tiling tiling,
                             const Threads& threads) {
  if (work.options.threads == 1) return tiling;
  affine::Expr each = here.shared->elements(work.builder, here.op) * tiling.step;
  bool areOthers = false;
  for (const std::string& other : here.shared->iterators())
    if (other != tiling.iterator && here.find(other)) {
      each = each * work.extent(here, other);
      areOthers = true;
    }
  tiling.grain =
      threads.outer && areOthers ? outerTilesFor(threads.work, each) : tilesFor(threads.work, each);
  return tiling;
}

// What is known in a tile of so many positions.
At onTile(const Work& work, const At& here, const transforms::Tile& tile, const std::string& name,
          const affine::Expr& by, bool isShared) {
  At inner = here;
  inner.op = tile.op;
  inner.isInLoop = !isShared;
  inner.isOnThreads |= isShared;
  inner.isTiled = true;
  inner.isBindable = false;
  inner.rooms.erase(name);
  for (const auto& [called, let] : here.lets)
    if (let.isOutside && by == let.value) inner.rooms[name] = by;
  if (auto most = here.minima.mostOf(by)) inner.limit(name, *most);
  const affine::Expr origin = transforms::at(tile.origin);
  inner.move(name, by, by == transforms::constant(1) ? origin : origin + transforms::at(name));
  auto known = by.asConstant(), all = work.extent(here, name).asConstant();
  if (known && all && *all % *known != 0) inner.left[name] = {*known, *all % *known};
  if (known && all && *all > 0) inner.least[name] = *all % *known == 0 ? *known : *all % *known;
  if (inner.find(name)) inner.minima.assumePositive(work.extent(inner, name));
  return inner;
}

}  // namespace

ir::Block apply(const Work& work, At here, const TileStep& step) {
  auto by = work.number(here, step.by);
  if (!by) return work.refuse(here, by.reason());
  if (auto why = work.cannotTile(here, step.iterator, *by)) return work.refuse(here, *why);
  const std::string name = here.actualName(step.iterator);
  const affine::Expr extent = work.extent(here, name);
  if (!here.minima.isPositive(facts::Signs(work.builder.kernel()), *by, extent))
    return work.refuse(here, "a tile has 1 position or more");
  if (step.onWorkgroups)
    return work.refuse(here, "workgroups share the parts of ops in rounds so; else: bind " +
                                 step.iterator + " by " + step.by.str() + " to workgroups");
  if (step.threads && here.isReduction(step.iterator))
    return work.refuse(here,
                       "'" + step.iterator + "' is a reduction: threads share loops over results");
  if (work.options.target->device && step.threads)
    return work.refuse(here, "a device has no threads: bind " + step.iterator);
  if (work.options.target->device && here.isReduction(step.iterator) && !here.bound)
    return work.refuse(here, "loops over results are around those of reductions: bind one before");
  if (auto why = cannotLeaveSums(work, here, step, name)) return work.refuse(here, *why);
  for (const auto& [input, packed] : here.packed)
    if (packed.across == name && by->asConstant().value_or(1) % packed.width != 0)
      return work.refuse(here, *work.waits(here));
  transforms::Tiling tiling{name, *by};
  if (step.threads && here.shared)
    tiling = sharedOut(work, here, tiling, *step.threads);
  else if (step.threads)
    tiling = amongThreads(work.builder, work.options.threads, here.op, tiling, step.threads->work,
                          step.threads->outer);
  const bool isShared = tiling.grain.has_value();
  return transforms::only(
      transforms::tile(work.builder, here.op, tiling, [&](const transforms::Tile& tile) {
        At inner = onTile(work, here, tile, name, *by, isShared);
        if (here.isReduction(step.iterator)) {
          inner.terms.add(tile, extent);
          if (inner.sums) inner.sums->tiles = inner.sums->tiles * extent.ceilDiv(*by);
        }
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
