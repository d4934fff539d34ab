// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/digits.h"

#include <utility>

#include "compiler/transforms/combiner.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

std::vector<transforms::Digit> digitsOf(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                        const ScheduleOptions& options) {
  const target::Target& target = *options.target;
  bool shapes = llvm::any_of(op.inputs, [](const ir::Operand& input) { return input.shapeOnly; });
  if (target.vectorBytes == 0 || shapes) return {};
  auto digits = transforms::findDigits(kernel, op, target.lanes(transforms::registerBytes(op)));
  bool anyOrder = transforms::mayReorder(op, options.keepsOrder);
  llvm::erase_if(digits, [&](const transforms::Digit& digit) {
    return !anyOrder && llvm::any_of(op.iterators, [&](const ir::Iterator& i) {
      return i.name == digit.iterator && i.kind == ir::IteratorKind::Reduction;
    });
  });
  return digits;
}

ir::Block guardedDigits(transforms::Builder& builder, const ir::StructuredOp& op,
                        const std::vector<transforms::Digit>& digits,
                        const transforms::OnDigits& whole, const transforms::OnDigits& left) {
  ir::Block block = transforms::splitDigits(builder, op, digits, whole, left);
  ir::If test;
  for (const transforms::Digit& digit : digits)
    if (!digit.base.asConstant())
      test.conditions.push_back({ir::Condition::Kind::Less, affine::Expr(), digit.base});
  if (test.conditions.empty()) return block;
  test.then = std::move(block);
  return transforms::only({std::move(test)});
}

}  // namespace einc::strategy
