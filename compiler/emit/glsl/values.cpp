// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/glsl/values.h"

#include <algorithm>
#include <bit>

#include "compiler/emit/glsl/rewrite.h"
#include "compiler/emit/text/expressions.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {
namespace {

using ir::Function;
using ir::ScalarType;
using ir::TypeClass;

std::string typeName(ScalarType type) { return std::string(ir::info(type).name); }

bool isHalf(ScalarType type) { return type == ScalarType::F16 || type == ScalarType::BF16; }

// The type whose values it is computed with.
ScalarType computed(ScalarType type) {
  const ir::TypeInfo& t = ir::info(type);
  if (isHalf(type)) return ScalarType::F32;
  if (t.bits >= 32 || t.cls == TypeClass::Bool) return type;
  return t.isSigned() ? ScalarType::I32 : ScalarType::U32;
}

bool isNarrowInteger(ScalarType type) {
  return ir::info(type).isInteger() && ir::info(type).bits < 32;
}

std::string callText(const std::string& function, const std::vector<std::string>& args) {
  return function + "(" + joined(args) + ")";
}

struct Comparison {
  const char* sign;
  const char* ofVectors;
};
Comparison comparisonOf(Function f) {
  switch (f) {
    case Function::Eq:
      return {" == ", "equal"};
    case Function::Ne:
      return {" != ", "notEqual"};
    case Function::Lt:
      return {" < ", "lessThan"};
    case Function::Le:
      return {" <= ", "lessThanEqual"};
    case Function::Gt:
      return {" > ", "greaterThan"};
    default:
      return {" >= ", "greaterThanEqual"};
  }
}

// The number modulo the type's range, from a 32-bit one.
std::string wrappedTo(ScalarType type, const std::string& value) {
  const ir::TypeInfo& t = ir::info(type);
  if (!isNarrowInteger(type)) return value;
  if (t.isSigned()) return "bitfieldExtract(" + value + ", 0, " + std::to_string(t.bits) + ")";
  return wrapped(value) + (t.bits == 8 ? " & 0xffu" : " & 0xffffu");
}

// Functions of integers whose result may be out of a narrow type's range.
bool leavesRange(Function f, bool isSigned) {
  switch (f) {
    case Function::Add:
    case Function::Sub:
    case Function::Mul:
    case Function::Neg:
    case Function::Square:
    case Function::Pow:
    case Function::Shl:
      return true;
    case Function::Abs:
    case Function::Div:
      return isSigned;
    case Function::Not:
      return !isSigned;
    default:
      return false;
  }
}

}  // namespace

std::string registerType(const GlslType& type) {
  std::string scalar, vector;
  switch (computed(type.type)) {
    case ScalarType::Bool:
      scalar = "bool", vector = "bvec";
      break;
    case ScalarType::I32:
      scalar = "int", vector = "ivec";
      break;
    case ScalarType::U32:
      scalar = "uint", vector = "uvec";
      break;
    case ScalarType::I64:
      scalar = "int64_t", vector = "i64vec";
      break;
    case ScalarType::U64:
      scalar = "uint64_t", vector = "u64vec";
      break;
    case ScalarType::F64:
      scalar = "double", vector = "dvec";
      break;
    default:
      scalar = "float", vector = "vec";
      break;
  }
  return type.lanes == 1 ? scalar : vector + std::to_string(type.lanes);
}

std::string storageType(const GlslType& type) {
  const ir::TypeInfo& t = ir::info(type.type);
  if (t.bits >= 32) return registerType(type);
  std::string bits = std::to_string(t.bits);
  bool isInt = t.isSigned(), isFloat = type.type == ScalarType::F16;
  if (type.lanes == 1) return (isFloat ? "float" : isInt ? "int" : "uint") + bits + "_t";
  return (isFloat ? "f" : isInt ? "i" : "u") + bits + "vec" + std::to_string(type.lanes);
}

std::string GlslValues::splat(const GlslType& type, const std::string& scalar) const {
  prelude_.needType(type.type, false);
  return type.lanes == 1 ? scalar : registerType(type) + "(" + scalar + ")";
}

std::string GlslValues::literal(ScalarType type, const ir::Number& number) const {
  prelude_.needType(type, false);
  const ir::TypeInfo& t = ir::info(type);
  if (t.isFloat()) return floatText(number.asFloat, type == ScalarType::F64);
  if (t.cls == TypeClass::Bool) return number.asBits != 0 ? "true" : "false";
  if (!t.isSigned()) return std::to_string(number.asBits) + (t.bits == 64 ? "ul" : "u");
  int64_t value = static_cast<int64_t>(number.asBits << (64 - t.bits)) >> (64 - t.bits);
  std::string suffix = t.bits == 64 ? "l" : "";
  // The least one is not minus a literal.
  if (t.bits >= 32 && value == INT64_MIN >> (64 - t.bits))
    return "(-" + std::to_string(~value) + suffix + " - 1" + suffix + ")";
  return std::to_string(value) + suffix;
}

std::string GlslValues::toStorage(ScalarType type, int64_t lanes, const std::string& value) const {
  prelude_.needType(type, true);
  std::string stored = storageType({type, lanes});
  if (ir::info(type).bits >= 32) return value;
  std::string bits = value;
  if (type == ScalarType::BF16) bits = "floatBitsToUint(" + value + ") >> 16";
  // By way of 32 bits: a choice between two bytes would be arithmetic on them.
  if (type == ScalarType::Bool) bits = registerType({ScalarType::U32, lanes}) + "(" + value + ")";
  return stored + "(" + bits + ")";
}

std::string GlslValues::fromStorage(ScalarType type, int64_t lanes,
                                    const std::string& element) const {
  prelude_.needType(type, true);
  if (ir::info(type).bits >= 32) return element;
  std::string bits = registerType({ScalarType::U32, lanes}) + "(" + element + ")";
  if (type == ScalarType::BF16) return "uintBitsToFloat(" + bits + " << 16)";
  if (type == ScalarType::Bool)
    return lanes == 1 ? "(" + bits + " != 0u)"
                      : "notEqual(" + bits + ", " + splat({ScalarType::U32, lanes}, "0u") + ")";
  return registerType({type, lanes}) + "(" + element + ")";
}

std::string GlslValues::call(ScalarType type, int64_t lanes, Function function,
                             const std::vector<GlslType>& types,
                             std::vector<std::string> args) const {
  prelude_.needType(type, false);
  for (size_t i = 0; i < args.size(); ++i) {
    prelude_.needType(types[i].type, false);
    if (types[i].lanes == 1 && lanes > 1) args[i] = splat({types[i].type, lanes}, args[i]);
  }
  ir::Signature signature = ir::info(function).signature;
  if (function == Function::Select)
    return lanes == 1
               ? "(" + wrapped(args[0]) + " ? " + wrapped(args[1]) + " : " + wrapped(args[2]) + ")"
               : callText("mix", {args[2], args[1], args[0]});
  if (signature == ir::Signature::Compare) return compare({types[0].type, lanes}, function, args);
  if (type == ScalarType::Bool) return logic({type, lanes}, function, args);
  return ir::info(type).isFloat() ? floatCall({type, lanes}, function, args)
                                  : integerCall({type, lanes}, function, args);
}

std::string GlslValues::compare(const GlslType& type, Function function,
                                const std::vector<std::string>& args) const {
  Comparison comparison = comparisonOf(function);
  return type.lanes == 1 ? wrapped(args[0]) + comparison.sign + wrapped(args[1])
                         : callText(comparison.ofVectors, args);
}

// Of truth values.
std::string GlslValues::logic(const GlslType& type, Function function,
                              const std::vector<std::string>& args) const {
  bool isScalar = type.lanes == 1;
  if (function == Function::Not) return isScalar ? "!" + wrapped(args[0]) : callText("not", args);
  if (function == Function::Xor) return compare(type, Function::Ne, args);
  bool isAnd = function == Function::And;
  if (isScalar) return wrapped(args[0]) + (isAnd ? " && " : " || ") + wrapped(args[1]);
  return callText(prelude_.need(isAnd ? "and_bool" : "or_bool", type.lanes), args);
}

// f16 and bf16: the function on floats, rounded once.
std::string GlslValues::floatCall(const GlslType& type, Function f,
                                  const std::vector<std::string>& args) const {
  if (isHalf(type.type)) {
    bool isExact =
        f == Function::Neg || f == Function::Abs || f == Function::Max || f == Function::Min;
    std::string result = floatCall({ScalarType::F32, type.lanes}, f, args);
    if (isExact) return result;
    return callText(prelude_.need("round_" + typeName(type.type), type.lanes), {result});
  }
  switch (f) {
    case Function::Add:
    case Function::Sub:
    case Function::Mul:
    case Function::Div:
      return wrapped(args[0]) + infix(f) + wrapped(args[1]);
    case Function::Neg:
      return "-" + wrapped(args[0]);
    case Function::Reciprocal:
      return (type.type == ScalarType::F64 ? "1.0lf / " : "1.0 / ") + wrapped(args[0]);
    case Function::RoundEven:
    case Function::Trunc: {
      const std::string name(ir::info(f).name);
      if (type.type == ScalarType::F64)
        return callText(prelude_.need(name + "_f64", type.lanes), args);
      return callText(f == Function::Trunc ? name : "roundEven", args);
    }
    case Function::Abs:
    case Function::Sqrt:
    case Function::Fma:
    case Function::Ceil:
    case Function::Floor:
      return callText(std::string(ir::info(f).name), args);
    default:
      return callText(
          prelude_.need(std::string(ir::info(f).name) + "_" + typeName(type.type), type.lanes),
          args);
  }
}

std::string GlslValues::integerCall(const GlslType& type, Function f,
                                    const std::vector<std::string>& args) const {
  bool isSigned = ir::info(type.type).isSigned();
  auto own = [&] {
    std::string name = std::string(ir::info(f).name) + "_" + typeName(computed(type.type));
    return callText(prelude_.need(name, type.lanes), args);
  };
  std::string result;
  switch (f) {
    case Function::Neg:
      result = "-" + wrapped(args[0]);
      break;
    case Function::Not:
      result = "~" + wrapped(args[0]);
      break;
    case Function::Abs:
      result = isSigned ? callText("abs", args) : args[0];
      break;
    case Function::Max:
    case Function::Min:
      result = callText(std::string(ir::info(f).name), args);
      break;
    case Function::Sign:
      // Of an unsigned number it is 0 or 1.
      result =
          isSigned ? own() : callText("min", {args[0], splat(type, literal(type.type, {0, 1}))});
      break;
    case Function::Div:
      result = own();
      break;
    default:
      result = infix(f) ? wrapped(args[0]) + infix(f) + wrapped(args[1]) : own();
      break;
  }
  return leavesRange(f, isSigned) ? wrappedTo(type.type, result) : result;
}

std::string GlslValues::cast(ScalarType to, ScalarType from, int64_t lanes,
                             const std::string& value) const {
  prelude_.needType(to, false);
  prelude_.needType(from, false);
  const ir::TypeInfo &t = ir::info(to), &f = ir::info(from);
  std::string result = registerType({to, lanes});
  if (to == from) return value;
  if (t.cls == TypeClass::Bool) return result + "(" + value + ")";
  if (isHalf(to)) {
    // By way of f32, in which nothing may be lost that the second rounding has to know.
    std::string number = value;
    if (from == ScalarType::F64 || (f.isInteger() && f.bits >= 32))
      number = callText(prelude_.need("odd_" + typeName(from), lanes), {value});
    else if (!f.isFloat())
      number = result + "(" + value + ")";
    return callText(prelude_.need("round_" + typeName(to), lanes), {number});
  }
  if (isHalf(from) && to == ScalarType::F32) return value;
  if (f.isFloat() && t.isInteger()) {
    std::string name = "to_" + typeName(computed(to)) + "_" + typeName(computed(from));
    std::string number = callText(prelude_.need(name, lanes), {value});
    if (!isNarrowInteger(to)) return number;
    ir::Number most = ir::endOf(to, true), least = ir::endOf(to, false);
    return t.isSigned() ? callText("clamp", {number, literal(to, least), literal(to, most)})
                        : callText("min", {number, literal(to, most)});
  }
  std::string number =
      registerType({to, lanes}) == registerType({from, lanes}) ? value : result + "(" + value + ")";
  if (t.isInteger() && t.bits == 64 && f.isInteger() && f.bits <= 32) {
    number = callText(prelude_.need(f.isSigned() ? "widen_i32" : "widen_u32", lanes), {value});
    if (t.isSigned() != f.isSigned()) number = result + "(" + number + ")";
  }
  bool isInside = f.cls == TypeClass::Bool || ir::widensTo(from, to);
  return t.isInteger() && !isInside ? wrappedTo(to, number) : number;
}

std::string GlslValues::index(const affine::Expr& expr) const { return indexText(expr, false); }

std::string GlslValues::longIndex(const affine::Expr& expr) const {
  prelude_.needType(ScalarType::I64, false);
  return indexText(expr, true);
}

// By a power of two, which shifts and masks divide by rounding down, as wanted; or, of what is not
// negative, as GLSL divides; or by the prelude. No divisor is 0.
std::string GlslValues::quotient(const std::string& function, const affine::Expr& what,
                                 const affine::Expr& by, bool isLong) const {
  bool isCeil = function == "ceildiv", isFloor = function == "floordiv";
  std::string dividend = indexText(what, isLong), divisor = indexText(by, isLong);
  int64_t power = by.asConstant().value_or(0);
  if (!isCeil && power >= 2 && (power & (power - 1)) == 0 && power <= INT32_MAX) {
    int64_t right = isFloor ? std::countr_zero(static_cast<uint64_t>(power)) : power - 1;
    return "(" + wrapped(dividend) + (isFloor ? " >> " : " & ") + std::to_string(right) +
           (isLong && !isFloor ? "l" : "") + ")";
  }
  bool isPlain =
      !isCeil && names_.isNonNegative && names_.isNonNegative(what) && names_.isNonNegative(by);
  if (isPlain) return "(" + wrapped(dividend) + (isFloor ? " / " : " % ") + wrapped(divisor) + ")";
  return callText(prelude_.need(function + (isLong ? "_i64" : "_i32")), {dividend, divisor});
}

std::string GlslValues::indexText(const affine::Expr& expr, bool isLong) const {
  IndexPrinter printer;
  printer.name = [&](const affine::Atom& atom) {
    std::string name = names_.index(atom);
    return isLong ? callText(prelude_.need("widen_i32"), {name}) : name;
  };
  printer.number = [&](int64_t n) {
    // Beyond 32 bits modulo 2^32: where the whole fits (the host sees to it), this comes out right.
    ScalarType type = isLong ? ScalarType::I64 : ScalarType::I32;
    std::string text = literal(type, {0, static_cast<uint64_t>(n)});
    return isLong || n == static_cast<int32_t>(n) ? text : wrapped(text);
  };
  printer.quotient = [&](const std::string& function, const affine::Expr& what,
                         const affine::Expr& by) { return quotient(function, what, by, isLong); };
  return printer.text(expr);
}

}  // namespace einc::emit
