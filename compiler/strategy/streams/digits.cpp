// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/streams/digits.h"

#include <utility>

#include "compiler/transforms/combiner.h"
#include "compiler/transforms/digits.h"
#include "compiler/transforms/unroll.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

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
  for (transforms::Digit& digit : digits) digit.high = freeName(kernel, op, digit.high);
  return digits;
}

}  // namespace

std::optional<DigitsStep> inDigits(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                   const ScheduleOptions& options, const OnPart& whole,
                                   const OnPart& left) {
  const std::vector<transforms::Digit> digits = digitsOf(kernel, op, options);
  if (digits.empty()) return std::nullopt;
  DigitsStep step;
  for (const transforms::Digit& digit : digits)
    step.digits.push_back({digit.iterator, digit.base, digit.high, {}});
  ir::Kernel parts = kernel;  // the op's parts are looked at there, and then done by the step
  transforms::Builder builder(parts);
  transforms::splitDigits(builder, op, digits, [&](const ir::StructuredOp& part, size_t count) {
    if (count == digits.size())
      step.whole = whole(parts, part);
    else
      step.digits[count].left = left(parts, part);
    return ir::Block();
  });
  return step;
}

}  // namespace einc::strategy
