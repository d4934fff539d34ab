// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/mlir/scalars.h"

#include <cmath>

namespace einc::emit::mlir {
namespace {

using ir::Function;
using ir::ScalarType;

std::string nameOf(Function function) { return std::string(ir::info(function).name); }

bool isHalf(ScalarType type) { return type == ScalarType::F16 || type == ScalarType::BF16; }

bool isSigned(ScalarType type) { return ir::info(type).isSigned(); }

// Where one operation on floats is the function.
std::string realOperation(Function f) {
  switch (f) {
    case Function::Add:
    case Function::Sub:
    case Function::Mul:
    case Function::Div:
    case Function::Rem:
    case Function::Neg:
      return "arith." + nameOf(f) + "f";
    case Function::Max:
      return "arith.maximumf";
    case Function::Min:
      return "arith.minimumf";
    case Function::Pow:
      return "math.powf";
    case Function::Abs:
      return "math.absf";
    default:
      return "math." + nameOf(f);
  }
}

}  // namespace

std::string Scalars::binary(const std::string& wanted, const std::string& op, ScalarType type,
                            const std::string& x, const std::string& y) {
  return block_.value(wanted, op + " " + x + ", " + y + " : " + typeName(type));
}

std::string Scalars::unary(const std::string& wanted, const std::string& op, ScalarType type,
                           const std::string& x) {
  return block_.value(wanted, op + " " + x + " : " + typeName(type));
}

std::string Scalars::select(const std::string& wanted, ScalarType type,
                            const std::string& condition, const std::string& x,
                            const std::string& y) {
  return block_.value(wanted,
                      "arith.select " + condition + ", " + x + ", " + y + " : " + typeName(type));
}

std::string Scalars::is(const std::string& wanted, const std::string& predicate, ScalarType type,
                        const std::string& x, const std::string& y) {
  std::string op = ir::info(type).isFloat() ? "arith.cmpf " : "arith.cmpi ";
  return binary(wanted, op + predicate + ",", type, x, y);
}

std::string Scalars::convert(const std::string& op, ScalarType to, ScalarType from,
                             const std::string& x) {
  return block_.value(op, "arith." + op + " " + x + " : " + typeName(from) + " to " + typeName(to));
}

std::string Scalars::call(Function f, ScalarType type, const Args& args) {
  if (f == Function::Select) return select("select", type, args[0], args[1], args[2]);
  switch (ir::info(f).signature) {
    case ir::Signature::Compare:
      return compare(f, type, args);
    case ir::Signature::Logic:
      return logic(f, type, args);
    default:
      break;
  }
  if (!isHalf(type)) return ir::info(type).isFloat() ? real(f, type, args) : integer(f, type, args);
  // The function in f32, then one rounding.
  Args wide;
  for (const std::string& arg : args) wide.push_back(convert("extf", ScalarType::F32, type, arg));
  return convert("truncf", type, ScalarType::F32, real(f, ScalarType::F32, wide));
}

std::string Scalars::compare(Function f, ScalarType type, const Args& args) {
  std::string predicate = nameOf(f);
  bool equality = f == Function::Eq || f == Function::Ne;
  // Ordered: false for NaN; but "not equal" is true.
  if (ir::info(type).isFloat())
    predicate = (f == Function::Ne ? "u" : "o") + predicate;
  else if (!equality)
    predicate = (isSigned(type) ? "s" : "u") + predicate;
  return is(nameOf(f), predicate, type, args[0], args[1]);
}

std::string Scalars::logic(Function f, ScalarType type, const Args& args) {
  if (f == Function::Not) {
    std::string ones =
        type == ScalarType::Bool ? block_.constant(type, {0.0, 1}) : block_.integer(type, -1);
    return binary("not", "arith.xori", type, args[0], ones);
  }
  return binary(nameOf(f), "arith." + nameOf(f) + "i", type, args[0], args[1]);
}

// f32 or f64.
std::string Scalars::real(Function f, ScalarType type, const Args& args) {
  const std::string& x = args[0];
  switch (f) {
    case Function::Square:
      return binary("square", "arith.mulf", type, x, x);
    case Function::Reciprocal:
      return binary("reciprocal", "arith.divf", type, block_.real(type, 1), x);
    case Function::Rsqrt:
      return binary("rsqrt", "arith.divf", type, block_.real(type, 1),
                    unary("sqrt", "math.sqrt", type, x));
    case Function::Sign: {
      std::string zero = block_.real(type, 0);
      std::string positive = is("positive", "ogt", type, x, zero);
      std::string negative = is("negative", "olt", type, x, zero);
      std::string rest = select("sign", type, negative, block_.real(type, -1), x);
      return select("sign", type, positive, block_.real(type, 1), rest);
    }
    case Function::Fma:
      return binary("fma", "math.fma " + x + ",", type, args[1], args[2]);
    default:
      return args.size() == 2 ? binary(nameOf(f), realOperation(f), type, x, args[1])
                              : unary(nameOf(f), realOperation(f), type, x);
  }
}

std::string Scalars::integer(Function f, ScalarType type, const Args& args) {
  const std::string& x = args[0];
  std::string sign = isSigned(type) ? "s" : "u";
  switch (f) {
    case Function::Div:
      return divide(/*remainder=*/false, type, x, args[1]);
    case Function::Rem:
      return divide(/*remainder=*/true, type, x, args[1]);
    case Function::Shl:
      return shift(/*left=*/true, type, x, args[1]);
    case Function::Shr:
      return shift(/*left=*/false, type, x, args[1]);
    case Function::Pow:
      return power(type, x, args[1]);
    case Function::Max:
    case Function::Min:
      return binary(nameOf(f), "arith." + nameOf(f) + sign + "i", type, x, args[1]);
    case Function::Neg:
      return binary("neg", "arith.subi", type, block_.integer(type, 0), x);
    case Function::Square:
      return binary("square", "arith.muli", type, x, x);
    case Function::Abs: {
      if (!isSigned(type)) return x;
      std::string zero = block_.integer(type, 0);
      std::string negative = is("negative", "slt", type, x, zero);
      return select("abs", type, negative, binary("neg", "arith.subi", type, zero, x), x);
    }
    case Function::Sign: {
      std::string zero = block_.integer(type, 0), one = block_.integer(type, 1);
      std::string nonzero = is("nonzero", "ne", type, x, zero);
      std::string result = select("sign", type, nonzero, one, zero);
      if (!isSigned(type)) return result;
      std::string negative = is("negative", "slt", type, x, zero);
      return select("sign", type, negative, block_.integer(type, -1), result);
    }
    default:
      return binary(nameOf(f), "arith." + nameOf(f) + "i", type, x, args[1]);
  }
}

// x / 0 = 0, x % 0 = x; x / -1 = -x, x % -1 = 0, which for the least number would overflow.
std::string Scalars::divide(bool remainder, ScalarType type, const std::string& x,
                            const std::string& y) {
  std::string zero = block_.integer(type, 0), one = block_.integer(type, 1);
  std::string wanted = remainder ? "rem" : "div";
  std::string op = "arith." + wanted + (isSigned(type) ? "si" : "ui");
  std::string byZero = is("by_zero", "eq", type, y, zero), special = byZero, byMinusOne;
  if (isSigned(type)) {
    byMinusOne = is("by_minus_one", "eq", type, y, block_.integer(type, -1));
    special = binary("special", "arith.ori", ScalarType::Bool, byZero, byMinusOne);
  }
  std::string divisor = select("divisor", type, special, one, y);
  std::string result = binary(wanted, op, type, x, divisor);
  // The remainder by 1 is the 0 that is wanted for -1.
  if (isSigned(type) && !remainder)
    result = select(wanted, type, byMinusOne, binary("neg", "arith.subi", type, zero, x), result);
  return select(wanted, type, byZero, remainder ? x : zero, result);
}

// Counts that are negative, as unsigned numbers, are past the width, too.
std::string Scalars::shift(bool left, ScalarType type, const std::string& x, const std::string& y) {
  unsigned bits = ir::info(type).bits;
  std::string zero = block_.integer(type, 0);
  std::string inside = is("inside", "ult", type, y, block_.integer(type, bits));
  if (left || !isSigned(type)) {
    std::string count = select("count", type, inside, y, zero);
    std::string shifted =
        binary(left ? "shl" : "shr", left ? "arith.shli" : "arith.shrui", type, x, count);
    return select(left ? "shl" : "shr", type, inside, shifted, zero);
  }
  std::string count = select("count", type, inside, y, block_.integer(type, bits - 1));
  return binary("shr", "arith.shrsi", type, x, count);
}

// Square and multiply, a step for each bit of n.
std::string Scalars::power(ScalarType type, const std::string& x, const std::string& n) {
  std::string t = typeName(type), one = block_.integer(type, 1);
  std::string first = block_.index(0), step = block_.index(1),
              last = block_.index(ir::info(type).bits);
  std::string negative;
  if (isSigned(type)) negative = powerOfNegative(type, x, n);
  std::string bit = block_.name("bit"), power = block_.name("power"),
              square = block_.name("square"), rest = block_.name("rest");
  std::string loop = block_.name("pow");
  block_.text().open(loop + ":3 = scf.for " + bit + " = " + first + " to " + last + " step " +
                     step + " iter_args(" + power + " = " + one + ", " + square + " = " + x + ", " +
                     rest + " = " + n + ") -> (" + t + ", " + t + ", " + t + ") {");
  auto line = [&](const std::string& wanted, const std::string& op) {
    std::string name = block_.name(wanted);
    block_.text().line(name + " = " + op);
    return name;
  };
  std::string odd = line("odd", "arith.trunci " + rest + " : " + t + " to i1");
  std::string product = line("product", "arith.muli " + power + ", " + square + " : " + t);
  std::string next =
      line("next", "arith.select " + odd + ", " + product + ", " + power + " : " + t);
  std::string squared = line("squared", "arith.muli " + square + ", " + square + " : " + t);
  std::string shifted = line("shifted", "arith.shrui " + rest + ", " + one + " : " + t);
  block_.text().line("scf.yield " + next + ", " + squared + ", " + shifted + " : " + t + ", " + t +
                     ", " + t);
  block_.text().close();
  if (!isSigned(type)) return loop + "#0";
  std::string isNegative = is("negative", "slt", type, n, block_.integer(type, 0));
  return select("pow", type, isNegative, negative, loop + "#0");
}

// The integer part of x^n for n < 0: 1, -1 or 0.
std::string Scalars::powerOfNegative(ScalarType type, const std::string& x, const std::string& n) {
  std::string zero = block_.integer(type, 0), one = block_.integer(type, 1),
              minusOne = block_.integer(type, -1);
  std::string odd = convert("trunci", ScalarType::Bool, type, n);
  std::string sign = select("sign", type, odd, minusOne, one);
  std::string isMinusOne = is("is_minus_one", "eq", type, x, minusOne);
  std::string isOne = is("is_one", "eq", type, x, one);
  return select("inverse", type, isOne, one, select("inverse", type, isMinusOne, sign, zero));
}

std::string Scalars::cast(ScalarType to, ScalarType from, const std::string& x) {
  const ir::TypeInfo &t = ir::info(to), &f = ir::info(from);
  if (to == from) return x;
  if (to == ScalarType::Bool && f.isFloat())
    return is("true", "une", from, x, block_.real(from, 0));
  if (to == ScalarType::Bool) return is("true", "ne", from, x, block_.integer(from, 0));
  if (t.isFloat() && f.isFloat()) {
    if (t.bits > f.bits) return convert("extf", to, from, x);
    if (t.bits < f.bits) return convert("truncf", to, from, x);
    return convert("truncf", to, ScalarType::F32, convert("extf", ScalarType::F32, from, x));
  }
  if (f.isFloat()) return realToInteger(to, from, x);
  if (t.isFloat()) return integerToReal(to, from, x);
  if (from == ScalarType::Bool) return convert("extui", to, from, x);
  if (t.bits < f.bits) return convert("trunci", to, from, x);
  if (t.bits == f.bits) return x;
  return convert(f.isSigned() ? "extsi" : "extui", to, from, x);
}

// Toward zero, saturated, NaN to 0: what is out of range (or NaN) becomes 0 before the operation.
std::string Scalars::realToInteger(ScalarType to, ScalarType from, const std::string& x) {
  const ir::TypeInfo& t = ir::info(to);
  if (isHalf(from))
    return realToInteger(to, ScalarType::F32, convert("extf", ScalarType::F32, from, x));
  int valueBits = static_cast<int>(t.bits) - (t.isSigned() ? 1 : 0);
  double limit = std::ldexp(1.0, valueBits);
  std::string zero = block_.real(from, 0), high = block_.real(from, limit);
  std::string low = t.isSigned() ? block_.real(from, -limit) : zero;
  std::string above = is("above", "oge", from, x, high), below = is("below", "ole", from, x, low);
  std::string ordered = is("ordered", "ord", from, x, x);
  std::string outside = binary("outside", "arith.ori", ScalarType::Bool, above, below);
  std::string number = select("number", from, ordered, x, zero);
  std::string inside = select("inside", from, outside, zero, number);
  std::string result = convert(t.isSigned() ? "fptosi" : "fptoui", to, from, inside);
  int64_t most = static_cast<int64_t>(~uint64_t{0} >> (64 - valueBits));
  // Below 0, an unsigned result is the 0 it is already.
  if (t.isSigned()) result = select("saturated", to, below, block_.integer(to, -most - 1), result);
  return select("saturated", to, above, block_.integer(to, t.isSigned() ? most : -1), result);
}

// To f16 and bf16 through f64, which holds all integers of 32 bits: that rounds once.
std::string Scalars::integerToReal(ScalarType to, ScalarType from, const std::string& x) {
  std::string op = isSigned(from) ? "sitofp" : "uitofp";
  if (!isHalf(to)) return convert(op, to, from, x);
  std::string wide =
      ir::info(from).bits == 64 ? roundedToOdd(from, x) : convert(op, ScalarType::F64, from, x);
  return convert("truncf", to, ScalarType::F64, wide);
}

// A 64-bit integer as an f64 with its last digit odd if anything follows: rounding that once more,
// to fewer digits, is as good as rounding once.
std::string Scalars::roundedToOdd(ScalarType from, const std::string& x) {
  std::string op = isSigned(from) ? "sitofp" : "uitofp";
  std::string shift = block_.integer(from, 11), zero = block_.integer(from, 0);
  std::string head = binary("head", isSigned(from) ? "arith.shrsi" : "arith.shrui", from, x, shift);
  std::string tail = binary("tail", "arith.andi", from, x, block_.integer(from, 2047));
  std::string sticky = is("sticky", "ne", from, tail, zero);
  std::string odd =
      binary("odd", "arith.ori", from, head, convert("extui", from, ScalarType::Bool, sticky));
  std::string scaled =
      binary("scaled", "arith.mulf", ScalarType::F64, convert(op, ScalarType::F64, from, odd),
             block_.real(ScalarType::F64, 2048));
  // Short ones are exact as they are. The offset brings -2^53 .. 2^53 to 0 .. 2^54.
  int64_t exact = int64_t{1} << 53;
  std::string shifted =
      isSigned(from) ? binary("shifted", "arith.addi", from, x, block_.integer(from, exact)) : x;
  std::string isShort =
      is("short", "ule", from, shifted, block_.integer(from, isSigned(from) ? 2 * exact : exact));
  return select("wide", ScalarType::F64, isShort, convert(op, ScalarType::F64, from, x), scaled);
}

std::string Scalars::toStorage(ScalarType type, const std::string& x) {
  return type == ScalarType::Bool ? convert("extui", ScalarType::U8, type, x) : x;
}

std::string Scalars::fromStorage(ScalarType type, const std::string& x) {
  if (type != ScalarType::Bool) return x;
  return is("true", "ne", ScalarType::U8, x, block_.integer(ScalarType::U8, 0));
}

}  // namespace einc::emit::mlir
