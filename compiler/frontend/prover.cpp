// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/prover.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/scalar.h"

namespace einc::frontend {
namespace {

using ir::Function;
using ir::Number;
using ir::ScalarType;
using ir::ValueRef;

const Number* asLiteral(const ValueRef& value) {
  auto* literal = std::get_if<ir::Literal>(&value->node);
  return literal ? &literal->number : nullptr;
}

const ir::Call* asCall(const ValueRef& value, Function function) {
  auto* call = std::get_if<ir::Call>(&value->node);
  return call && call->function == function ? call : nullptr;
}

bool isFloat(const ValueRef& value) { return ir::info(value->type).isFloat(); }

// A number that is the same in every type that has it.
bool isNumber(const ValueRef& value, int number) {
  auto* literal = asLiteral(value);
  if (!literal) return false;
  if (isFloat(value)) return literal->asFloat == number;
  return literal->asBits == ir::integerNumber(value->type, static_cast<uint64_t>(number)).asBits;
}

bool isEnd(const ValueRef& value, bool highest) {
  auto* literal = asLiteral(value);
  return literal && ir::sameBits(*literal, ir::endOf(value->type, highest));
}

ValueRef truth(bool value) { return ir::makeLiteral(ScalarType::Bool, {0.0, value ? 1U : 0U}); }

// Whether every machine computes the call alike: arithmetic is rounded once; of the others, only
// values at zeros and infinities are taken.
bool isExact(Function function, const std::vector<ValueRef>& args) {
  switch (function) {
    case Function::Reciprocal:
    case Function::Sqrt:
    case Function::Ceil:
    case Function::Floor:
    case Function::Trunc:
    case Function::Round:
    case Function::RoundEven:
      return true;
    case Function::Pow:
      if (!isFloat(args[0])) return true;
      break;
    default:
      if (ir::info(function).signature != ir::Signature::Float) return true;
  }
  return std::all_of(args.begin(), args.end(), [](const ValueRef& arg) {
    double x = asLiteral(arg)->asFloat;
    return x == 0.0 || std::isinf(x);
  });
}

}  // namespace

bool Prover::same(const ValueRef& a, const ValueRef& b) {
  if (a == b) return true;
  if (!step() || a->type != b->type || a->node.index() != b->node.index()) return false;
  if (auto* x = std::get_if<ir::Call>(&a->node)) {
    const auto& y = std::get<ir::Call>(b->node);
    if (x->function != y.function) return false;
    for (size_t i = 0; i < x->args.size(); ++i)
      if (!same(x->args[i], y.args[i])) return false;
    return true;
  }
  if (auto* x = std::get_if<ir::Cast>(&a->node))
    return same(x->arg, std::get<ir::Cast>(b->node).arg);
  return ir::equal(a, b);
}

ValueRef Prover::simplify(const ValueRef& value, const ValueRef& from, const ValueRef& to) {
  if (!step()) return value;
  if (from && same(value, from)) return to;
  if (auto* call = std::get_if<ir::Call>(&value->node)) {
    std::vector<ValueRef> args;
    for (const ValueRef& arg : call->args) args.push_back(simplify(arg, from, to));
    return this->call(value->type, call->function, std::move(args));
  }
  if (auto* cast = std::get_if<ir::Cast>(&value->node)) {
    ValueRef arg = simplify(cast->arg, from, to);
    if (auto* number = asLiteral(arg))
      return ir::makeLiteral(value->type, ir::convert(*number, arg->type, value->type));
    return ir::makeCast(value->type, arg);
  }
  return value;
}

// A call of simple arguments.
ValueRef Prover::call(ScalarType type, Function function, std::vector<ValueRef> args) {
  if (!step()) return ir::makeCall(function, std::move(args));
  bool constant = std::all_of(args.begin(), args.end(), asLiteral);
  if (constant && isExact(function, args)) {
    std::vector<Number> numbers;
    for (const ValueRef& arg : args) numbers.push_back(*asLiteral(arg));
    return ir::makeLiteral(type, ir::apply(function, args.back()->type, numbers));
  }
  ValueRef result;
  if (function == Function::Select)
    result = select(args[0], args[1], args[2]);
  else if (ir::info(function).signature == ir::Signature::Compare)
    result = comparison(function, args[0], args[1]);
  else if (args.size() == 2)
    result = arithmetic(type, function, args[0], args[1]);
  else if (function == Function::Neg || function == Function::Not) {
    // Undone twice.
    if (auto* inner = asCall(args[0], function)) result = inner->args[0];
  }
  return result ? result : ir::makeCall(function, std::move(args));
}

ValueRef Prover::arithmetic(ScalarType type, Function function, const ValueRef& x,
                            const ValueRef& y) {
  bool isInteger = !ir::info(type).isFloat();
  bool commutes = function != Function::Sub && function != Function::Div &&
                  function != Function::Rem && function != Function::Pow &&
                  function != Function::Shl && function != Function::Shr &&
                  function != Function::Atan2;
  if (commutes && asLiteral(x)) return arithmetic(type, function, y, x);
  switch (function) {
    case Function::Add:
    case Function::Sub:
    case Function::Shl:
    case Function::Shr:
      return isNumber(y, 0) ? x : nullptr;
    case Function::Mul:
      if (isInteger && isNumber(y, 0)) return y;
      return isNumber(y, 1) ? x : nullptr;
    case Function::Div:
    case Function::Pow:
      return isNumber(y, 1) ? x : nullptr;
    case Function::Xor:
      return isNumber(y, 0) ? x : nullptr;
    case Function::And:
    case Function::Or: {
      int neutral = function == Function::And ? -1 : 0;
      if (isNumber(y, neutral) || same(x, y)) return x;
      return isNumber(y, -1 - neutral) ? y : nullptr;
    }
    case Function::Max:
    case Function::Min: {
      bool isMax = function == Function::Max;
      if (isEnd(y, !isMax) || same(x, y)) return x;
      return isInteger && isEnd(y, isMax) ? y : nullptr;
    }
    default:
      return nullptr;
  }
}

// In terms of eq, lt and (floats only) le, with literals second in eq.
ValueRef Prover::comparison(Function function, const ValueRef& x, const ValueRef& y) {
  auto negated = [&](const ValueRef& value) {
    return call(ScalarType::Bool, Function::Not, {value});
  };
  switch (function) {
    case Function::Ne:
      return negated(call(ScalarType::Bool, Function::Eq, {x, y}));
    case Function::Gt:
      return call(ScalarType::Bool, Function::Lt, {y, x});
    case Function::Ge:
      return call(ScalarType::Bool, Function::Le, {y, x});
    case Function::Eq:
      if (asLiteral(x)) return call(ScalarType::Bool, Function::Eq, {y, x});
      if (!isFloat(x) && same(x, y)) return truth(true);
      if (x->type == ScalarType::Bool && asLiteral(y)) return isNumber(y, -1) ? x : negated(x);
      return nullptr;
    case Function::Lt:
      return less(x, y);
    default:
      return isFloat(x) ? lessOrEqual(x, y) : negated(call(ScalarType::Bool, Function::Lt, {y, x}));
  }
}

ValueRef Prover::less(const ValueRef& x, const ValueRef& y) {
  if (same(x, y) || isEnd(x, true) || isEnd(y, false)) return truth(false);
  bool fromLowest = isEnd(x, false);
  if (!fromLowest && !isEnd(y, true)) return nullptr;
  // Everything but the end itself, and NaN.
  const ValueRef& variable = fromLowest ? y : x;
  ValueRef differs = comparison(Function::Ne, variable, fromLowest ? x : y);
  if (!isFloat(variable)) return differs;
  ValueRef isOrdered = ir::makeCall(Function::Eq, {variable, variable});
  return call(ScalarType::Bool, Function::And, {isOrdered, differs});
}

ValueRef Prover::lessOrEqual(const ValueRef& x, const ValueRef& y) {
  if (isEnd(x, false) || same(x, y)) return ir::makeCall(Function::Eq, {y, y});
  if (isEnd(y, true)) return ir::makeCall(Function::Eq, {x, x});
  if (isEnd(x, true)) return ir::makeCall(Function::Eq, {y, x});
  return isEnd(y, false) ? ir::makeCall(Function::Eq, {x, y}) : nullptr;
}

ValueRef Prover::select(const ValueRef& condition, ValueRef then, ValueRef otherwise) {
  if (!step()) return ir::makeCall(Function::Select, {condition, then, otherwise});
  if (auto* known = asLiteral(condition)) return known->asBits != 0 ? then : otherwise;
  if (auto* negated = asCall(condition, Function::Not))
    return select(negated->args[0], otherwise, then);
  if (auto* both = asCall(condition, Function::And))
    return select(both->args[0], select(both->args[1], then, otherwise), otherwise);
  if (auto* either = asCall(condition, Function::Or))
    return select(either->args[0], then, select(either->args[1], then, otherwise));
  then = simplify(then, condition, truth(true));
  otherwise = simplify(otherwise, condition, truth(false));
  if (same(then, otherwise)) return then;
  // x == c ? then : otherwise, where both agree at c. Zero has two signs, which == does not tell.
  if (auto* equals = asCall(condition, Function::Eq)) {
    const ValueRef &x = equals->args[0], &c = equals->args[1];
    bool atPoint = std::holds_alternative<ir::OperandRef>(x->node) && asLiteral(c) &&
                   !(isFloat(c) && isNumber(c, 0));
    if (atPoint && same(simplify(then, x, c), simplify(otherwise, x, c))) return otherwise;
  }
  return ir::makeCall(Function::Select, {condition, then, otherwise});
}

}  // namespace einc::frontend
