// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/guard.h"

#include <utility>

namespace einc::ir {
namespace {

const Call* asCall(const ValueRef& value, Function function) {
  auto* call = std::get_if<Call>(&value->node);
  return call && call->function == function ? call : nullptr;
}

bool isOperand(const ValueRef& value, size_t operand) {
  auto* reference = std::get_if<OperandRef>(&value->node);
  return reference && reference->operand == operand;
}

// Whether f(old, value) is the old value, bit by bit.
bool changesNothing(Function function, const ValueRef& value) {
  const auto number = asNumber(value);
  if (!number) return false;
  std::optional<Number> neutral =
      function == Function::Sub ? Number{} : neutralElement(function, value->type);
  if (!neutral) return false;
  if (function == Function::Add && info(value->type).isFloat()) neutral->asFloat = -0.0;
  return sameBits(*number, *neutral);
}

// Where the select of a result stands: the result itself, or an argument of its function.
struct Place {
  const Call* select;
  const Call* around = nullptr;
  size_t argument = 0;
};

std::optional<Place> placeOf(const StructuredOp& op, size_t output) {
  const size_t old = op.inputs.size() + output;
  const ValueRef& result = op.results[output];
  if (const Call* select = asCall(result, Function::Select))
    return isOperand(select->args[2], old) ? std::optional(Place{select}) : std::nullopt;
  auto* call = std::get_if<Call>(&result->node);
  if (!call || call->args.size() != 2) return std::nullopt;
  for (size_t i : {1, 0}) {
    const Call* select = asCall(call->args[i], Function::Select);
    const bool mayBe =
        select && isOperand(call->args[1 - i], old) && (i == 1 || call->function != Function::Sub);
    if (mayBe && changesNothing(call->function, select->args[2])) return Place{select, call, i};
  }
  return std::nullopt;
}

void split(const ValueRef& condition, Guard& guard) {
  if (const Call* both = asCall(condition, Function::And)) {
    split(both->args[0], guard);
    split(both->args[1], guard);
    return;
  }
  const bool isLess = asCall(condition, Function::Lt) != nullptr;
  if (isLess || asCall(condition, Function::Le)) {
    const Call& call = std::get<Call>(condition->node);
    auto* left = std::get_if<IndexRef>(&call.args[0]->node);
    auto* right = std::get_if<IndexRef>(&call.args[1]->node);
    if (left && right) {
      guard.notNegative.push_back(right->index - left->index -
                                  affine::Expr::constant(isLess ? 1 : 0));
      return;
    }
  }
  guard.others.push_back(condition);
}

ValueRef conditionOf(const Guard& guard) {
  ValueRef all;
  auto both = [&](const ValueRef& condition) {
    all = all ? makeCall(Function::And, {all, condition}) : condition;
  };
  auto index = [](const affine::Expr& e) { return makeValue(ScalarType::I64, IndexRef{e}); };
  // Positions on both sides: e = (what is added) - (what is subtracted).
  for (const affine::Expr& e : guard.notNegative) {
    affine::Expr less, more = affine::Expr::constant(1);
    for (const affine::Term& term : e.terms()) {
      const affine::Expr one = affine::Expr::term(term);
      (term.coefficient < 0 ? less : more) = term.coefficient < 0 ? less - one : more + one;
    }
    both(makeCall(Function::Lt, {index(less), index(more)}));
  }
  for (const ValueRef& other : guard.others) both(other);
  return all;
}

}  // namespace

std::optional<Number> asNumber(const ValueRef& value) {
  if (auto* literal = std::get_if<Literal>(&value->node)) return literal->number;
  const Call* negated = asCall(value, Function::Neg);
  auto* literal = negated && info(value->type).isFloat()
                      ? std::get_if<Literal>(&negated->args[0]->node)
                      : nullptr;
  return literal ? std::optional(Number{-literal->number.asFloat, 0}) : std::nullopt;
}

std::optional<Guard> guardOf(const StructuredOp& op) {
  ValueRef condition;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const auto place = placeOf(op, i);
    if (!place || (condition && !equal(condition, place->select->args[0]))) return std::nullopt;
    condition = place->select->args[0];
  }
  if (!condition) return std::nullopt;
  return asGuard(condition);
}

Guard asGuard(const ValueRef& condition) {
  Guard guard;
  split(condition, guard);
  return guard;
}

StructuredOp withGuard(StructuredOp op, const Guard& guard) {
  const ValueRef condition = guard.isEmpty() ? nullptr : conditionOf(guard);
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const auto place = placeOf(op, i);
    ValueRef term = place->select->args[1];
    if (condition) term = makeCall(Function::Select, {condition, term, place->select->args[2]});
    if (!place->around) {
      op.results[i] = term;
      continue;
    }
    Call around = *place->around;
    around.args[place->argument] = term;
    op.results[i] = makeCall(around.function, std::move(around.args));
  }
  return op;
}

}  // namespace einc::ir
