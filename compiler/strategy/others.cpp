// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/others.h"

#include <string>
#include <utility>
#include <vector>

#include "compiler/transforms/builder.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

Steps lineByLine(const Others& others, const ir::StructuredOp& sum,
                 const ScheduleOptions& options) {
  Steps steps = others.onTiles;
  std::vector<std::string> names;
  for (const ir::Iterator& i : sum.iterators)
    if (i.kind == ir::IteratorKind::Parallel) names.push_back(i.name);
  const int64_t lanes = options.target->lanes(transforms::registerBytes(sum));
  for (const std::string& name : names)
    steps.push_back(Step(TileStep{name, transforms::constant(name == names.back() ? lanes : 1)},
                         "elements are moved one by one"));
  VectorizeStep vector;
  vector.axes = {{names.back(), lanes}};
  steps.push_back(Step(std::move(vector), "a vector"));
  return steps;
}

Steps inUnits(const ir::StructuredOp& spec, const ir::StructuredOp& op, Steps steps) {
  for (const ir::Iterator& i : spec.iterators)
    if (i.kind == ir::IteratorKind::Parallel && !llvm::is_contained(op.iterators, i))
      steps =
          then(Step(TileStep{i.name, transforms::constant(1)}, "there is one"), std::move(steps));
  return steps;
}

}  // namespace einc::strategy
