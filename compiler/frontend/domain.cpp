// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/domain.h"

#include <limits>

namespace einc::frontend {
namespace {

using ir::Function;
using ir::ScalarType;
using ir::ValueRef;

ValueRef indexValue(const affine::Expr& index) {
  return ir::makeValue(ScalarType::I64, ir::IndexRef{index});
}

// left < right, or left <= right; positions are compared by `<` alone, which is a mask of lanes.
ValueRef compared(const ValueRef& left, const ValueRef& right, bool orEqual) {
  auto* bound = std::get_if<ir::IndexRef>(&right->node);
  const bool ofPositions = bound && std::holds_alternative<ir::IndexRef>(left->node);
  if (!orEqual || !ofPositions)
    return ir::makeCall(orEqual ? Function::Le : Function::Lt, {left, right});
  return ir::makeCall(Function::Lt, {left, indexValue(bound->index + affine::Expr::constant(1))});
}

// Added -0.0 leaves each number as it was, 0.0 all but -0.0.
ValueRef neutral(Function function, ScalarType type) {
  if (function == Function::Sub) return ir::makeLiteral(type, {});
  auto number = ir::neutralElement(function, type);
  if (!number) return nullptr;
  if (function == Function::Add && ir::info(type).isFloat()) number->asFloat = -0.0;
  return ir::makeLiteral(type, *number);
}

bool isOperand(const ValueRef& value, size_t operand) {
  auto* reference = std::get_if<ir::OperandRef>(&value->node);
  return reference && reference->operand == operand;
}

bool reads(const ValueRef& value, size_t from) {
  bool found = false;
  ir::forEach(value, [&](const ir::Value& v) {
    auto* reference = std::get_if<ir::OperandRef>(&v.node);
    found |= reference && reference->operand >= from;
  });
  return found;
}

// f(old, x) as f(old, select(domain, x, neutral)), or null if it has not that form.
ValueRef limitedTerm(const ValueRef& domain, const ir::StructuredOp& op, size_t output) {
  auto* call = std::get_if<ir::Call>(&op.results[output]->node);
  if (!call || call->args.size() != 2) return nullptr;
  const size_t old = op.inputs.size() + output;
  const bool first = isOperand(call->args[0], old);
  if (!first && (call->function == Function::Sub || !isOperand(call->args[1], old))) return nullptr;
  const ValueRef& term = call->args[first ? 1 : 0];
  ValueRef nothing = neutral(call->function, op.results[output]->type);
  if (!nothing || reads(term, op.inputs.size())) return nullptr;
  ir::Call result = *call;
  result.args[first ? 1 : 0] = ir::makeCall(Function::Select, {domain, term, nothing});
  return ir::makeCall(result.function, std::move(result.args));
}

}  // namespace

ValueRef domainValue(const std::vector<DomainCondition>& conditions,
                     const std::map<const Expr*, unsigned>& operands,
                     const std::vector<ScalarType>& operandTypes) {
  auto value = [&](const Compared& side) -> ValueRef {
    if (!side.element) return indexValue(side.index);
    const unsigned operand = operands.at(side.element);
    const ScalarType type = operandTypes[operand];
    ValueRef element = ir::makeValue(type, ir::OperandRef{operand});
    if (type == ScalarType::U64)  // more than an i64 holds is more than any index
      element = ir::makeCall(
          Function::Min,
          {element, ir::makeLiteral(type, {0.0, std::numeric_limits<int64_t>::max()})});
    return ir::makeCast(ScalarType::I64, element);
  };
  ValueRef all;
  auto both = [&](const ValueRef& condition) {
    all = all ? ir::makeCall(Function::And, {all, condition}) : condition;
  };
  for (const DomainCondition& c : conditions) {
    const ValueRef left = value(c.left), right = value(c.right);
    const bool orEqual = c.comparison.back() == '=';
    if (c.comparison[0] != '>') both(compared(left, right, orEqual));
    if (c.comparison[0] != '<') both(compared(right, left, orEqual));
  }
  return all;
}

void limitTo(const ValueRef& domain, const std::vector<bool>& begins, ir::StructuredOp& op) {
  for (size_t i = 0; i < op.results.size(); ++i) {
    const ScalarType type = op.results[i]->type;
    if (ir::reduces(op))
      if (ValueRef limited = limitedTerm(domain, op, i)) {
        op.results[i] = limited;
        continue;
      }
    ValueRef outside =
        begins[i] && !ir::reduces(op)
            ? ir::makeLiteral(type, {})
            : ir::makeValue(type, ir::OperandRef{static_cast<unsigned>(op.inputs.size() + i)});
    op.results[i] = ir::makeCall(Function::Select, {domain, op.results[i], outside});
  }
}

}  // namespace einc::frontend
