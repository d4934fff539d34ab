// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/parts_for_threads.h"

#include "compiler/strategy/grain.h"

namespace einc::strategy {

using transforms::constant;

std::optional<PartsForThreads> partsForThreads(transforms::Builder& builder,
                                               const ir::StructuredOp& op, int64_t threads,
                                               bool isContraction, bool isTile) {
  affine::Expr results = constant(1), others = constant(1);
  std::string axis;
  for (const ir::Iterator& i : op.iterators) {
    bool parallel = i.kind == ir::IteratorKind::Parallel;
    if (!parallel && axis.empty()) {
      axis = i.name;
      continue;
    }
    affine::Expr& product = parallel ? results : others;
    product = product * builder.extent(op, i.name);
  }
  if (axis.empty()) return std::nullopt;
  using Kind = ir::Condition::Kind;
  int64_t work = isContraction ? kIterationsAThread : kElementsAThread;
  int64_t few = (isTile ? 512 : 4) * threads;
  std::string width = builder.name(axis + "_width");
  return PartsForThreads{
      axis,
      {width, {constant(work).floorDiv(results * others + constant(1)) + constant(1)}},
      {{Kind::LessEqual, results, constant(few)},
       {Kind::LessEqual, constant(2) * transforms::size(width), builder.extent(op, axis)}},
      "on threads: '" + axis + "' in parts of " + std::to_string(work) +
          " operations, where there are at most " + std::to_string(few) + " results"};
}

}  // namespace einc::strategy
