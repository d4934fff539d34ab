// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/streaming_common.h"

#include <algorithm>
#include <utility>

#include "compiler/strategy/grain.h"
#include "compiler/transforms/unroll.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using transforms::dimOf;
using transforms::only;
using transforms::size;
using transforms::Tile;

}  // namespace

bool StreamingCommon::has(const ir::Operand& operand, const std::string& name) {
  auto used = transforms::iteratorsOf(operand);
  return std::find(used.begin(), used.end(), name) != used.end();
}

int64_t StreamingCommon::lanes(const ir::StructuredOp& op) const {
  return target_.lanes(transforms::registerBytes(op));
}

transforms::Tiling StreamingCommon::onThreads(const ir::StructuredOp& op,
                                              const std::string& iterator, int64_t step,
                                              bool outer) const {
  return amongThreads(builder_, options_.threads, op, {iterator, constant(step)}, kElementsAThread,
                      outer);
}

ir::Block StreamingCommon::outer(const ir::StructuredOp& op, const std::vector<std::string>& but,
                                 const Inner& inner, bool loopsOnThreads) {
  std::vector<std::string> loops;
  for (const ir::Iterator& i : op.iterators)
    if (i.kind == ir::IteratorKind::Parallel &&
        std::find(but.begin(), but.end(), i.name) == but.end())
      loops.push_back(i.name);
  if (loops.empty()) return inner(op);
  bool more = loops.size() > 1 || loopsOnThreads;
  return only(transforms::tile(
      builder_, op, onThreads(op, loops[0], 1, more),
      [&](const Tile& tile) { return outer(tile.op, but, inner, loopsOnThreads); }));
}

std::optional<ir::If> StreamingCommon::whereLarge(const ir::StructuredOp& op) const {
  // Sizes that are not 0 have a product: their elements are in memory.
  ir::If test{{}, {}, {}};
  Expr count = constant(1);
  for (const ir::Iterator& i : op.iterators) {
    Expr extent = builder_.extent(op, i.name);
    count = count * extent;
    if (!extent.asConstant())
      test.conditions.push_back({ir::Condition::Kind::Less, constant(0), extent});
  }
  int64_t limit =
      target_.l3.bytes / ir::info(builder_.kernel().tensors[op.outputs[0].tensor].type).bytes();
  if (auto known = count.asConstant(); known && *known <= limit) return std::nullopt;
  test.conditions.push_back({ir::Condition::Kind::Less, constant(limit), count});
  return test;
}

}  // namespace einc::strategy
