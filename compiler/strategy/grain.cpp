// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/grain.h"

#include <utility>

namespace einc::strategy {

using transforms::constant;

ir::Grain tilesFor(int64_t work, const affine::Expr& each) {
  return {constant(work).floorDiv(each + constant(1)) + constant(1)};
}

ir::Grain outerTilesFor(int64_t work, const affine::Expr& each) {
  return {tilesFor(work, each).least, each.floorDiv(constant(work))};
}

transforms::Tiling amongThreads(const transforms::Builder& builder, int64_t threads,
                                const ir::StructuredOp& op, transforms::Tiling tiling, int64_t work,
                                bool outer) {
  if (threads == 1) return tiling;
  std::vector<std::string> others;
  bool parallel = false;
  for (const ir::Iterator& i : op.iterators) {
    if (i.name == tiling.iterator) continue;
    others.push_back(i.name);
    parallel |= i.kind == ir::IteratorKind::Parallel;
  }
  affine::Expr each = tiling.step * builder.positions(op, others);
  tiling.grain = outer && parallel ? outerTilesFor(work, each) : tilesFor(work, each);
  return tiling;
}

}  // namespace einc::strategy
