// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/lanes.h"

#include <cstdlib>

#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

using affine::Expr;

std::string contiguous(const ir::Kernel& kernel, const ir::Operand& operand) {
  if (operand.shapeOnly) return "";
  const std::vector<Expr>& shape = kernel.tensors[operand.tensor].shape;
  size_t last = operand.map.size();
  while (last > 0 && !operand.map[last - 1].hasIterators() && shape[last - 1].asConstant() == 1)
    --last;
  if (last == 0) return "";
  const Expr& index = operand.map[last - 1];
  for (const std::string& name : index.iterators()) {
    bool elsewhere = false;
    for (size_t d = 0; d + 1 < last; ++d)
      elsewhere |= llvm::is_contained(operand.map[d].iterators(), name);
    if (!elsewhere && index.stepAlong(name) == transforms::constant(1)) return name;
  }
  return "";
}

bool spreads(const ir::Operand& operand, const std::string& axis) {
  if (operand.pad || operand.shapeOnly) return false;
  const Expr* along = nullptr;
  for (const Expr& index : operand.map) {
    if (!index.mentions(axis)) continue;
    if (along) return false;
    along = &index;
  }
  return along && along->quotientAlong(axis);
}

bool suitsLanes(const ir::Operand& operand, const std::string& axis, bool masks) {
  size_t dims = 0;
  if (spreads(operand, axis)) return true;
  for (const Expr& index : operand.map) {
    if (!llvm::is_contained(index.iterators(), axis)) continue;
    ++dims;
    auto step = index.stepAlong(axis);
    const bool isNext = step == transforms::constant(1);
    if (!step || (operand.pad && (!isNext || (index.terms().size() > 1 && !masks)))) return false;
  }
  return dims < 2 || !operand.pad;
}

bool arePositionsNear(const ir::Kernel& kernel, const ir::StructuredOp& op) {
  constexpr int64_t kFar = 1 << 12;
  bool near = true;
  auto look = [&](const Expr& index) {
    if (!index.hasIterators()) return;
    for (const std::string& symbol : index.symbols()) near &= !kernel.attributeOf(symbol);
    for (const affine::Term& term : index.terms())
      near &= term.factors.empty() || std::abs(term.coefficient) < kFar;
  };
  for (const ir::ValueRef& result : op.results)
    ir::forEach(result, [&](const ir::Value& value) {
      if (auto* position = std::get_if<ir::IndexRef>(&value.node)) look(position->index);
    });
  return near;
}

}  // namespace einc::strategy
