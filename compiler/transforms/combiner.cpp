// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/combiner.h"

#include <algorithm>
#include <iterator>

namespace einc::transforms {

namespace {

// The function f, if the result with that number is f(its old value, something that reads no output).
std::optional<ir::Function> functionOf(const ir::StructuredOp& op, size_t number) {
  auto* call = std::get_if<ir::Call>(&op.results[number]->node);
  if (!call || call->args.size() != 2) return std::nullopt;
  using ir::Function;
  static const Function known[] = {Function::Add, Function::Mul, Function::Max, Function::Min,
                                   Function::And, Function::Or,  Function::Xor};
  if (std::find(std::begin(known), std::end(known), call->function) == std::end(known))
    return std::nullopt;
  auto isOld = [&](const ir::ValueRef& value) {
    auto* reference = std::get_if<ir::OperandRef>(&value->node);
    return reference && reference->operand == op.inputs.size() + number;
  };
  auto readsOutputs = [&](const ir::ValueRef& root) {
    bool found = false;
    ir::forEach(root, [&](const ir::Value& value) {
      auto* reference = std::get_if<ir::OperandRef>(&value.node);
      found |= reference && reference->operand >= op.inputs.size();
    });
    return found;
  };
  bool once = (isOld(call->args[0]) && !readsOutputs(call->args[1])) ||
              (isOld(call->args[1]) && !readsOutputs(call->args[0]));
  if (!once || !ir::neutralElement(call->function, op.results[number]->type)) return std::nullopt;
  return call->function;
}

}  // namespace

std::optional<ir::Function> combinerOf(const ir::StructuredOp& op) {
  return op.outputs.size() == 1 ? functionOf(op, 0) : std::nullopt;
}

std::optional<std::vector<ir::Function>> combinersOf(const ir::StructuredOp& op) {
  std::vector<ir::Function> functions;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    auto function = functionOf(op, i);
    if (!function) return std::nullopt;
    functions.push_back(*function);
  }
  return functions;
}

ir::ValueRef neutral(ir::Function function, ir::ScalarType type) {
  ir::Number number = *ir::neutralElement(function, type);
  if (function == ir::Function::Add && ir::info(type).isFloat()) number.asFloat = -0.0;
  return ir::makeLiteral(type, number);
}

std::optional<ir::Combiner> partsOf(const ir::StructuredOp& op) {
  if (op.combiner) return *op.combiner;
  const auto functions = combinersOf(op);
  if (!functions) return std::nullopt;
  ir::Combiner combiner;
  const auto outputs = static_cast<unsigned>(functions->size());
  for (unsigned i = 0; i < outputs; ++i) {
    const ir::ScalarType type = op.results[i]->type;
    auto part = [&](unsigned number) { return ir::makeValue(type, ir::OperandRef{number}); };
    combiner.results.push_back(ir::makeCall((*functions)[i], {part(i), part(outputs + i)}));
    combiner.neutral.push_back(ir::makeLiteral(type, *ir::neutralElement((*functions)[i], type)));
  }
  return combiner;
}

std::vector<ir::ValueRef> combined(const ir::Combiner& combiner, const PartAt& a, const PartAt& b) {
  const size_t n = combiner.results.size();
  std::vector<ir::ValueRef> results;
  for (const ir::ValueRef& result : combiner.results)
    results.push_back(ir::rewrite(result, [&](const ir::ValueRef& value) -> ir::ValueRef {
      auto* part = std::get_if<ir::OperandRef>(&value->node);
      if (!part) return nullptr;
      return part->operand < n ? a(part->operand) : b(part->operand - n);
    }));
  return results;
}

std::vector<ir::ValueRef> inputsIntoOutputs(const ir::Combiner& combiner) {
  auto operands = [&](size_t first) {
    return [&combiner, first](size_t i) {
      return ir::makeValue(combiner.results[i]->type,
                           ir::OperandRef{static_cast<unsigned>(first + i)});
    };
  };
  return combined(combiner, operands(combiner.results.size()), operands(0));
}

namespace {

// Whether it takes one of its arguments, or compares them: no float is rounded.
bool isChoice(ir::Function function) {
  const ir::Signature signature = ir::info(function).signature;
  return signature == ir::Signature::Select || signature == ir::Signature::Compare ||
         signature == ir::Signature::Logic || function == ir::Function::Max ||
         function == ir::Function::Min || function == ir::Function::Neg ||
         function == ir::Function::Abs;
}

bool isExact(const ir::Combiner& combiner) {
  bool exact = true;
  for (const ir::ValueRef& result : combiner.results)
    ir::forEach(result, [&](const ir::Value& value) {
      auto* call = std::get_if<ir::Call>(&value.node);
      bool casts = std::holds_alternative<ir::Cast>(value.node);
      if (call || casts)
        exact &= !ir::info(value.type).isFloat() || (call && isChoice(call->function));
    });
  return exact;
}

}  // namespace

bool mayReorder(const ir::StructuredOp& op, bool keepsOrder) {
  return partsOf(op) && (!keepsOrder || isExact(op));
}

bool isExact(const ir::StructuredOp& op) {
  if (op.combiner) return isExact(*op.combiner);
  const auto combiner = partsOf(op);
  return combiner && isExact(*combiner);
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
