// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   scratch (m: 8, n: 48) in pieces of 16 { vectorize (m: 8, n: 48) }
#include <utility>

#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/strategy/plan/write_back.h"
#include "compiler/transforms/combiner.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

std::optional<std::string> cannotBeScratch(const Work& work, const At& here,
                                           const ScratchStep& step) {
  std::vector<std::string> tile;
  if (auto why = work.noTile(here, {step.rows, step.columns}, tile)) return why;
  if (step.piece < 1 || step.columns.size % step.piece != 0) return "a row has whole pieces";
  for (const ir::Iterator& i : here.op.iterators)
    if (i.kind == ir::IteratorKind::Parallel && !llvm::is_contained(tile, i.name))
      return "'" + i.name + "' has to be done before: tile " + i.name + " by 1";
  for (const ir::Operand& output : here.op.outputs)
    if (transforms::iteratorsOf(output).size() != 2) return "outputs have both iterators";
  return std::nullopt;
}

bool areStrided(const At& here, const std::string& iterator) {
  for (const auto& [operand, along] : here.strided)
    if (along == iterator) return true;
  return false;
}

}  // namespace

ir::Block apply(const Work& work, At here, const ScratchStep& step) {
  if (!work.isLast()) return work.refuse(here, "what follows 'scratch' stands in it");
  if (auto why = work.waits(here)) return work.refuse(here, *why);
  if (auto why = work.noVectors(here)) return work.refuse(here, *why);
  if (auto why = cannotBeScratch(work, here, step)) return work.refuse(here, *why);
  const target::Target& target = *work.options.target;
  WriteBack how{here.actualName(step.rows.name),
                here.actualName(step.columns.name),
                step.rows.size,
                step.columns.size,
                step.piece,
                {},
                false,
                work.lanes(here),
                target.hasMasks};
  how.isStrided = how.masks && areStrided(here, how.n);
  At inner = here;
  inner.strided.clear();
  auto inside = [&](const ir::StructuredOp& op) {
    inner.op = op;
    inner.op.axes.clear();
    inner.names = namesOfSum(here, op);
    inner.region = nullptr;
    return work.run(inner, step.body);
  };
  if (here.region) {
    here.op.axes = {{how.m, how.rows}, {how.n, how.columns}};
    if (auto why = work.noResults(here, here.op.axes)) return work.refuse(here, *why);
    return here.region->tile(
        here.op, here.onTile, here.terms, inside,
        [&](const ir::StructuredOp& reader) { return writtenBack(work.builder, reader, how); });
  }
  if (work.mayReorder(here)) how.combiner = transforms::combinerOf(here.op);
  ir::StructuredOp op = here.op;
  OnScratch around =
      onScratch(work.builder, op, how, work.extent(here, how.m), work.extent(here, how.n));
  ir::Block block = std::move(around.before);
  transforms::append(block, inside(op));
  transforms::append(block, std::move(around.after));
  return block;
}

}  // namespace einc::strategy
