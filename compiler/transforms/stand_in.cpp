// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/stand_in.h"

#include <cmath>
#include <utility>

#include "compiler/ir/scalar.h"
#include "compiler/transforms/combiner.h"
#include "compiler/transforms/inline.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {

using ir::Function;

namespace {

// What a comparison with an infinity says of all finite values of a reference, which all are alike to it.
std::optional<bool> whereFinite(const ir::ValueRef& test, const ir::ValueRef& reference) {
  auto* call = std::get_if<ir::Call>(&test->node);
  if (!call || call->args.size() != 2) return std::nullopt;
  bool isOfIt = false, hasEnd = false;
  auto number = [&](const ir::ValueRef& arg) {
    auto* abs = std::get_if<ir::Call>(&arg->node);
    const bool isSize = abs && abs->function == Function::Abs;
    isOfIt |= ir::equal(isSize ? abs->args[0] : arg, reference);
    auto* literal = std::get_if<ir::Literal>(&arg->node);
    const double value = literal ? literal->number.asFloat : 0;
    hasEnd |= std::isinf(value);
    return value;
  };
  const double a = number(call->args[0]), b = number(call->args[1]);
  const bool isComparison = ir::info(call->function).signature == ir::Signature::Compare;
  if (!isOfIt || !hasEnd || !isComparison) return std::nullopt;
  const ir::Number numbers[] = {{a, 0}, {b, 0}};
  return ir::apply(call->function, reference->type, numbers).asBits != 0;
}

}  // namespace

ir::ValueRef stoodInFor(const ir::ValueRef& value) {
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call || call->function != Function::Select || !ir::info(value->type).isFloat())
    return nullptr;
  for (size_t i : {1, 2}) {
    auto* other = std::get_if<ir::Literal>(&call->args[3 - i]->node);
    if (!std::holds_alternative<ir::OperandRef>(call->args[i]->node) || !other ||
        !std::isfinite(other->number.asFloat))
      continue;
    const auto finite = whereFinite(call->args[0], call->args[i]);
    if (finite && *finite == (i == 1)) return call->args[i];
  }
  return nullptr;
}

namespace {

// Whether one of the first ops finds the largest or smallest terms, and leaves them there.
bool isBound(const std::vector<ir::StructuredOp>& ops, size_t end, unsigned tensor) {
  for (size_t i = 0; i < end; ++i) {
    if (!ir::reduces(ops[i]) || !ir::writes(ops[i], tensor)) continue;
    const auto combiners = combinersOf(ops[i]);
    if (combiners && combiners->size() == 1 &&
        (combiners->front() == Function::Max || combiners->front() == Function::Min))
      return true;
  }
  return false;
}

}  // namespace

void readBounds(const ir::Kernel& kernel, std::vector<ir::StructuredOp>& ops) {
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!isWholeMap(kernel, ops[i])) continue;
    const ir::ValueRef bound = stoodInFor(ops[i].results[0]);
    const auto* read = bound ? std::get_if<ir::OperandRef>(&bound->node) : nullptr;
    if (!read || !isBound(ops, i, ops[i].operand(read->operand).tensor)) continue;
    for (size_t reader = i + 1; reader < ops.size(); ++reader) {
      const bool reads = llvm::any_of(ops[reader].inputs, [&](const ir::Operand& input) {
        return input.tensor == ops[i].outputs[0].tensor;
      });
      if (!reads || !ir::reduces(ops[reader])) continue;
      if (auto with = inlined(kernel, ops[i], ops[reader])) ops[reader] = std::move(*with);
    }
  }
}

}  // namespace einc::transforms
