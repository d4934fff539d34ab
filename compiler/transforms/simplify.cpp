// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/simplify.h"

#include <cmath>

#include "compiler/ir/literal.h"
#include "compiler/transforms/rewrite.h"

namespace einc::transforms {
namespace {

using ir::Function;
using ir::Number;
using ir::ScalarType;
using ir::ValueRef;

const Number* asLiteral(const ValueRef& value) {
  auto* literal = std::get_if<ir::Literal>(&value->node);
  return literal ? &literal->number : nullptr;
}

bool isInteger(const ValueRef& value, uint64_t bits) {
  auto* number = asLiteral(value);
  return number && ir::info(value->type).isInteger() && number->asBits == bits;
}

bool readsOperands(const ValueRef& value) {
  bool found = false;
  ir::forEach(value, [&](const ir::Value& node) {
    found |= !std::holds_alternative<ir::Literal>(node.node) &&
             !std::holds_alternative<ir::IndexRef>(node.node) &&
             !std::holds_alternative<ir::Call>(node.node);
  });
  return found;
}

// Bits of an integer or bool type, the others cleared.
Number wrapped(ScalarType type, uint64_t bits) {
  const ir::TypeInfo& t = ir::info(type);
  if (t.cls == ir::TypeClass::Bool) return {0.0, bits & 1};
  return {0.0, bits & (~uint64_t{0} >> (64 - t.bits))};
}

// a < b in an integer or bool type.
bool less(ScalarType type, const Number& a, const Number& b) {
  if (!ir::info(type).isSigned()) return a.asBits < b.asBits;
  return ir::signedValue(type, a) < ir::signedValue(type, b);
}

// A call of two integers or bools, where it is worth the trouble.
std::optional<Number> fold(Function function, ScalarType type, const Number& a, const Number& b) {
  auto truth = [](bool value) { return Number{0.0, value ? 1u : 0u}; };
  switch (function) {
    case Function::Add:
      return wrapped(type, a.asBits + b.asBits);
    case Function::Sub:
      return wrapped(type, a.asBits - b.asBits);
    case Function::Mul:
      return wrapped(type, a.asBits * b.asBits);
    case Function::And:
      return wrapped(type, a.asBits & b.asBits);
    case Function::Or:
      return wrapped(type, a.asBits | b.asBits);
    case Function::Xor:
      return wrapped(type, a.asBits ^ b.asBits);
    case Function::Max:
      return less(type, a, b) ? b : a;
    case Function::Min:
      return less(type, b, a) ? b : a;
    case Function::Eq:
      return truth(a.asBits == b.asBits);
    case Function::Ne:
      return truth(a.asBits != b.asBits);
    case Function::Lt:
      return truth(less(type, a, b));
    case Function::Le:
      return truth(!less(type, b, a));
    case Function::Gt:
      return truth(less(type, b, a));
    case Function::Ge:
      return truth(!less(type, a, b));
    default:
      return std::nullopt;
  }
}

// Of a truth value that is known and another one, which is left out only if it may be.
ValueRef simplifyLogic(Function function, bool known, const ValueRef& other, bool mayLeaveOut) {
  if (known == (function == Function::And)) return other;
  if (!mayLeaveOut && readsOperands(other)) return nullptr;
  return ir::makeLiteral(ScalarType::Bool, {0.0, known ? 1U : 0U});
}

ValueRef simplifyBinary(ScalarType type, Function function, const ValueRef& a, const ValueRef& b,
                        bool mayLeaveOut) {
  if (ir::info(a->type).isFloat()) return nullptr;
  auto *x = asLiteral(a), *y = asLiteral(b);
  if (x && y) {
    auto result = fold(function, a->type, *x, *y);
    return result ? ir::makeLiteral(type, *result) : nullptr;
  }
  const bool isLogic = function == Function::And || function == Function::Or;
  if (isLogic && type == ScalarType::Bool && (x || y))
    return simplifyLogic(function, (x ? x : y)->asBits != 0, x ? b : a, mayLeaveOut);
  if (function == Function::Add && isInteger(a, 0)) return b;
  if (function == Function::Mul && isInteger(a, 1)) return b;
  if (function == Function::Mul && isInteger(a, 0) && (mayLeaveOut || !readsOperands(b))) return a;
  if (function == Function::Mul && isInteger(b, 0) && (mayLeaveOut || !readsOperands(a))) return b;
  if ((function == Function::Add || function == Function::Sub) && isInteger(b, 0)) return a;
  if (function == Function::Mul && isInteger(b, 1)) return a;
  return nullptr;
}

ValueRef simplifyCall(ScalarType type, const ir::Call& call, bool mayLeaveOut) {
  if (call.function == Function::Select) {
    auto* condition = asLiteral(call.args[0]);
    return condition ? call.args[condition->asBits ? 1 : 2] : nullptr;
  }
  if (call.args.size() == 2)
    return simplifyBinary(type, call.function, call.args[0], call.args[1], mayLeaveOut);
  auto* only = asLiteral(call.args[0]);
  if (!only || ir::info(type).isFloat()) return nullptr;
  if (call.function == Function::Neg)
    return ir::makeLiteral(type, wrapped(type, uint64_t{0} - only->asBits));
  if (call.function == Function::Not) return ir::makeLiteral(type, wrapped(type, ~only->asBits));
  return nullptr;
}

// The literal in another type, if it is a value of that, too; integers wrap.
std::optional<Number> convert(const Number& number, ScalarType from, ScalarType to) {
  const ir::TypeInfo &f = ir::info(from), &t = ir::info(to);
  if (t.cls == ir::TypeClass::Bool)
    return Number{0.0, (f.isFloat() ? number.asFloat != 0.0 : number.asBits != 0) ? 1u : 0u};
  Number result;
  if (!t.isFloat()) {
    if (f.isFloat()) return std::nullopt;
    return wrapped(to, static_cast<uint64_t>(ir::signedValue(from, number)));
  }
  // 2^53 and below, an integer is a double.
  constexpr int64_t kExact = int64_t{1} << 53;
  int64_t integer = ir::signedValue(from, number);
  if (f.isFloat())
    result.asFloat = number.asFloat;
  else if (integer >= -kExact && integer <= kExact && !(from == ScalarType::U64 && integer < 0))
    result.asFloat = static_cast<double>(integer);
  else
    return std::nullopt;
  bool exact = !std::isnan(result.asFloat) && ir::isValueOf(to, result);
  return exact ? std::optional(result) : std::nullopt;
}

}  // namespace

ValueRef simplified(const ValueRef& value, bool mayLeaveOut) {
  ValueRef result;
  if (auto* index = std::get_if<ir::IndexRef>(&value->node)) {
    if (auto constant = index->index.asConstant())
      result = ir::makeLiteral(value->type, {0.0, static_cast<uint64_t>(*constant)});
  } else if (auto* call = std::get_if<ir::Call>(&value->node)) {
    result = simplifyCall(value->type, *call, mayLeaveOut);
  } else if (auto* cast = std::get_if<ir::Cast>(&value->node)) {
    auto* literal = asLiteral(cast->arg);
    auto number = literal ? convert(*literal, cast->arg->type, value->type) : std::nullopt;
    if (cast->arg->type == value->type)
      result = cast->arg;
    else if (number)
      result = ir::makeLiteral(value->type, *number);
  }
  return result ? result : value;
}

ir::Kernel simplify(ir::Kernel kernel) {
  // An op reads all of its inputs afterwards, too.
  auto simple = [](const ValueRef& value) { return simplified(value, /*mayLeaveOut=*/false); };
  rewriteBlock(kernel.body, [](const affine::Expr& e) { return e; }, simple);
  return kernel;
}

}  // namespace einc::transforms
