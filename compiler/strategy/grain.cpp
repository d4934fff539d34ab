// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/grain.h"

#include <algorithm>

namespace einc::strategy {

using transforms::constant;

namespace {

// Iterations of a tile.
affine::Expr inTile(const transforms::Builder& builder, const ir::StructuredOp& op,
                    const std::string& iterator, const affine::Expr& step) {
  std::vector<std::string> others;
  for (const ir::Iterator& i : op.iterators)
    if (i.name != iterator) others.push_back(i.name);
  return step * builder.positions(op, others);
}

}  // namespace

ir::Grain tilesFor(int64_t work, const affine::Expr& each) {
  return {constant(work).floorDiv(each + constant(1)) + constant(1)};
}

ir::Grain outerTilesFor(int64_t work, const affine::Expr& each) {
  return {tilesFor(work, each).least, each.floorDiv(constant(work))};
}

ir::Grain tilesFor(int64_t work, const transforms::Builder& builder, const ir::StructuredOp& op,
                   const std::string& iterator, const affine::Expr& step) {
  return tilesFor(work, inTile(builder, op, iterator, step));
}

ir::Grain outerTilesFor(int64_t work, const transforms::Builder& builder,
                        const ir::StructuredOp& op, const std::string& iterator,
                        const affine::Expr& step) {
  affine::Expr each = inTile(builder, op, iterator, step);
  bool others = std::any_of(op.iterators.begin(), op.iterators.end(), [&](const ir::Iterator& i) {
    return i.kind == ir::IteratorKind::Parallel && i.name != iterator;
  });
  return others ? outerTilesFor(work, each) : tilesFor(work, each);
}

}  // namespace einc::strategy
