// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/combiner.h"

#include <algorithm>
#include <iterator>

namespace einc::transforms {

std::optional<ir::Function> combinerOf(const ir::StructuredOp& op) {
  if (op.outputs.size() != 1) return std::nullopt;
  auto* call = std::get_if<ir::Call>(&op.results[0]->node);
  if (!call || call->args.size() != 2) return std::nullopt;
  using ir::Function;
  static const Function known[] = {Function::Add, Function::Mul, Function::Max, Function::Min,
                                   Function::And, Function::Or,  Function::Xor};
  if (std::find(std::begin(known), std::end(known), call->function) == std::end(known))
    return std::nullopt;
  auto output = static_cast<unsigned>(op.inputs.size());
  auto isOutput = [&](const ir::Value& value) {
    auto* reference = std::get_if<ir::OperandRef>(&value.node);
    return reference && reference->operand == output;
  };
  auto reads = [&](const ir::ValueRef& root) {
    bool found = false;
    ir::forEach(root, [&](const ir::Value& value) { found |= isOutput(value); });
    return found;
  };
  bool once = (isOutput(*call->args[0]) && !reads(call->args[1])) ||
              (isOutput(*call->args[1]) && !reads(call->args[0]));
  if (!once || !ir::neutralElement(call->function, op.results[0]->type)) return std::nullopt;
  return call->function;
}

ir::ValueRef neutral(ir::Function function, ir::ScalarType type) {
  ir::Number number = *ir::neutralElement(function, type);
  if (function == ir::Function::Add && ir::info(type).isFloat()) number.asFloat = -0.0;
  return ir::makeLiteral(type, number);
}

bool isExact(const ir::StructuredOp& op) {
  auto combiner = combinerOf(op);
  bool rounds = combiner == ir::Function::Add || combiner == ir::Function::Mul;
  return combiner && !(rounds && ir::info(op.results[0]->type).isFloat());
}

namespace {

ir::ValueRef negated(const ir::ValueRef& value) {
  auto* call = std::get_if<ir::Call>(&value->node);
  if (!call || call->function != ir::Function::Mul) return ir::makeCall(ir::Function::Neg, {value});
  return ir::makeCall(ir::Function::Mul, {negated(call->args[0]), call->args[1]});
}

}  // namespace

ir::StructuredOp asSum(ir::StructuredOp op) {
  if (!ir::reduces(op) || op.outputs.size() != 1) return op;
  ir::ValueRef& result = op.results[0];
  auto* call = std::get_if<ir::Call>(&result->node);
  const ir::TypeInfo& type = ir::info(result->type);
  if (!call || call->function != ir::Function::Sub || !(type.isFloat() || type.isSigned()))
    return op;
  auto* old = std::get_if<ir::OperandRef>(&call->args[0]->node);
  if (old && old->operand == op.inputs.size())
    result = ir::makeCall(ir::Function::Add, {call->args[0], negated(call->args[1])});
  return op;
}

}  // namespace einc::transforms
