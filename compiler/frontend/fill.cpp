// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// `+=!`: what a statement begins with. A fill writes the neutral element to those elements that the
// statement updates, and to no others, whatever other statements have written there.
#include <algorithm>

#include "compiler/frontend/scope.h"
#include "compiler/ir/shape.h"

namespace einc::frontend {

ir::StructuredOp fillOf(const ir::StructuredOp& op, size_t output, ir::ValueRef neutral) {
  ir::StructuredOp fill;
  fill.source = op.source;
  const ir::Operand& written = op.outputs[output];
  for (const affine::Expr& index : written.map)
    for (const std::string& name : index.iterators()) {
      bool isNew = std::none_of(fill.iterators.begin(), fill.iterators.end(),
                                [&](const ir::Iterator& i) { return i.name == name; });
      if (isNew) fill.iterators.push_back({name, ir::IteratorKind::Parallel});
    }
  fill.outputs.push_back({written.tensor, written.map, nullptr});
  fill.outputs.back().source = written.source;
  fill.results.push_back(std::move(neutral));
  return fill;
}

namespace {

// Iterators of the fill that would run differently than in the op get the op's extent, by the shape
// of the tensor that gives it there.
void limit(const ir::Kernel& kernel, const ir::StructuredOp& op, ir::StructuredOp& fill) {
  for (const ir::Iterator& iterator : fill.iterators) {
    auto wanted = ir::extentOf(kernel, op, iterator.name);
    auto own = ir::extentOf(kernel, fill, iterator.name);
    if (!wanted || (own && own->extent == wanted->extent)) continue;
    unsigned tensor = op.operand(wanted->operand).tensor;
    std::vector<affine::Expr> map(kernel.tensors[tensor].shape.size());
    map[wanted->dim] = affine::Expr::iterator(iterator.name);
    fill.inputs.push_back({tensor, std::move(map), nullptr, /*shapeOnly=*/true, op.source});
  }
}

}  // namespace

void limitFills(Scope& scope) {
  ir::Block& body = scope.kernel.body;
  for (const auto& [fill, op] : scope.fills)
    limit(scope.kernel, std::get<ir::StructuredOp>(body[op].node),
          std::get<ir::StructuredOp>(body[fill].node));
}

}  // namespace einc::frontend
