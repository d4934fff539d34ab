// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/scalar.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

#include "compiler/ir/literal.h"

namespace einc::ir {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Number fromBool(bool value) { return {0.0, value ? uint64_t{1} : uint64_t{0}}; }

// IEEE division, where a zero divisor is nothing special.
template <typename T>
__attribute__((no_sanitize("float-divide-by-zero"))) T divide(T x, T y) {
  return x / y;
}

// A double that rounds to any shorter float as the integer itself does: past 53 bits, the last bit
// says whether anything follows.
double withStickyBit(uint64_t magnitude) {
  if (magnitude >> 53 == 0) return static_cast<double>(magnitude);
  uint64_t head = magnitude >> 11, tail = magnitude & 0x7FF;
  return std::ldexp(static_cast<double>(head | (tail != 0 ? 1 : 0)), 11);
}

double integerToFloat(ScalarType to, bool negative, uint64_t magnitude) {
  double value = to == ScalarType::F64 ? static_cast<double>(magnitude)
                                       : roundTo(to, withStickyBit(magnitude));
  return negative ? -value : value;
}

// Toward zero, saturated, NaN to 0.
uint64_t floatToInteger(double value, ScalarType to) {
  const TypeInfo& t = info(to);
  if (std::isnan(value)) return 0;
  unsigned valueBits = t.bits - (t.isSigned() ? 1 : 0);
  uint64_t most = ~uint64_t{0} >> (64 - valueBits);
  uint64_t least = t.isSigned() ? ~most : 0;
  double limit = std::ldexp(1.0, static_cast<int>(valueBits));
  if (value >= limit) return most;
  if (value <= (t.isSigned() ? -limit : 0.0)) return least;
  return value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                   : static_cast<uint64_t>(value);
}

uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return result;
}

// T is int64_t or uint64_t. The caller wraps the result to `bits` bits.
template <typename T>
uint64_t applyInteger(Function function, T x, T y, unsigned bits) {
  constexpr bool isSigned = std::is_signed_v<T>;
  auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  bool xNegative = isSigned && x < T{0}, yNegative = isSigned && y < T{0};
  bool minusOne = isSigned && uy == ~uint64_t{0};
  switch (function) {
    case Function::Add:
      return ux + uy;
    case Function::Sub:
      return ux - uy;
    case Function::Mul:
      return ux * uy;
    case Function::Div:
      if (y == 0) return 0;
      return minusOne ? 0 - ux : static_cast<uint64_t>(x / y);
    case Function::Rem:
      if (y == 0) return ux;
      return minusOne ? 0 : static_cast<uint64_t>(x % y);
    case Function::Max:
      return x > y ? ux : uy;
    case Function::Min:
      return x < y ? ux : uy;
    case Function::Pow:
      if (!yNegative) return power(ux, uy);
      if (x == 1) return 1;
      return xNegative && ux == ~uint64_t{0} ? (uy % 2 == 0 ? 1 : ux) : 0;
    case Function::Neg:
      return 0 - ux;
    case Function::Abs:
      return xNegative ? 0 - ux : ux;
    case Function::Sign:
      return xNegative ? ~uint64_t{0} : uint64_t{x != 0};
    case Function::Square:
      return ux * ux;
    case Function::And:
      return ux & uy;
    case Function::Or:
      return ux | uy;
    case Function::Xor:
      return ux ^ uy;
    case Function::Not:
      return ~ux;
    case Function::Shl:
      return yNegative || uy >= bits ? 0 : ux << uy;
    case Function::Shr:
      if (yNegative || uy >= bits) return xNegative ? ~uint64_t{0} : 0;
      return static_cast<uint64_t>(x >> y);
    default:
      std::abort();  // a float function
  }
}

template <typename T>
T maxOf(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return kNaN;
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

template <typename T>
T sign(T x) {
  return x > 0 ? T{1} : x < 0 ? T{-1} : x;  // zeros and NaN stay what they are
}

// T is double or long double; before rounding to the type. In double, exact or correctly rounded
// results stay so for shorter types: 53 digits are enough to round +, -, *, / and sqrt of 24 digits
// twice without harm.
template <typename T>
T applyFloat(Function function, T x, T y) {
#define EINC_CASE(name, value) \
  case Function::name:         \
    return value;
  switch (function) {
    EINC_CASE(Add, x + y)
    EINC_CASE(Sub, x - y)
    EINC_CASE(Mul, x * y)
    EINC_CASE(Div, divide(x, y))
    EINC_CASE(Rem, std::fmod(x, y))
    EINC_CASE(Max, maxOf(x, y))
    EINC_CASE(Min, -maxOf(-x, -y))
    EINC_CASE(Pow, std::pow(x, y))
    EINC_CASE(Atan2, std::atan2(x, y))
    EINC_CASE(Neg, -x)
    EINC_CASE(Abs, std::fabs(x))
    EINC_CASE(Sign, sign(x))
    EINC_CASE(Square, x * x)
    EINC_CASE(Reciprocal, divide(T{1}, x))
    EINC_CASE(Sqrt, std::sqrt(x))
    EINC_CASE(Rsqrt, divide(T{1}, std::sqrt(x)))
    EINC_CASE(Cbrt, std::cbrt(x))
    EINC_CASE(Exp, std::exp(x))
    EINC_CASE(Exp2, std::exp2(x))
    EINC_CASE(Expm1, std::expm1(x))
    EINC_CASE(Log, std::log(x))
    EINC_CASE(Log2, std::log2(x))
    EINC_CASE(Log10, std::log10(x))
    EINC_CASE(Log1p, std::log1p(x))
    EINC_CASE(Sin, std::sin(x))
    EINC_CASE(Cos, std::cos(x))
    EINC_CASE(Tan, std::tan(x))
    EINC_CASE(Sinh, std::sinh(x))
    EINC_CASE(Cosh, std::cosh(x))
    EINC_CASE(Tanh, std::tanh(x))
    EINC_CASE(Atan, std::atan(x))
    EINC_CASE(Erf, std::erf(x))
    EINC_CASE(Ceil, std::ceil(x))
    EINC_CASE(Floor, std::floor(x))
    EINC_CASE(Trunc, std::trunc(x))
    EINC_CASE(Round, std::round(x))
    EINC_CASE(RoundEven, std::nearbyint(x))
    default:
      std::abort();  // an integer function
  }
#undef EINC_CASE
}

template <typename T>
bool compare(Function function, T x, T y) {
  switch (function) {
    case Function::Eq:
      return x == y;
    case Function::Ne:
      return x != y;
    case Function::Lt:
      return x < y;
    case Function::Le:
      return x <= y;
    case Function::Gt:
      return x > y;
    case Function::Ge:
      return x >= y;
    default:
      std::abort();  // not a comparison
  }
}

// The bits of what is one more than the largest finite value; in f8e4m3, where that is NaN, of the
// largest itself.
unsigned bitsOfInfinity(ScalarType type) {
  switch (type) {
    case ScalarType::F8E4M3:
      return 0x7E;
    case ScalarType::F8E5M2:
      return 0x7C;
    default:
      return 0x7C00;
  }
}

// A float of 8 or 16 bits: one of the sign, those of the exponent, those of the significand.
double fromBits(ScalarType type, unsigned bits) {
  const int digits = static_cast<int>(precision(type)) - 1, least = minExponent(type);
  const unsigned sign = 1U << (info(type).bits - 1), magnitude = bits & (sign - 1);
  const int exponent = static_cast<int>(magnitude >> digits);
  const unsigned significand = magnitude & ((1U << digits) - 1);
  double value;
  if (magnitude > bitsOfInfinity(type))
    value = kNaN;
  else if (magnitude == bitsOfInfinity(type) && type != ScalarType::F8E4M3)
    value = kInfinity;
  else if (exponent == 0)
    value = std::ldexp(significand, least - digits);
  else
    value = std::ldexp(significand + (1U << digits), exponent - 1 + least - digits);
  return (bits & sign) != 0 ? -value : value;
}

// Of a value of the type.
unsigned toBits(ScalarType type, double value) {
  const int digits = static_cast<int>(precision(type)) - 1, least = minExponent(type);
  const double magnitude = std::fabs(value);
  unsigned bits;
  if (std::isnan(value)) {
    // Quiet; in f8e4m3 there is one.
    bits = type == ScalarType::F8E4M3 ? 0x7F : bitsOfInfinity(type) + (1U << (digits - 1));
  } else if (std::isinf(value)) {
    bits = bitsOfInfinity(type);
  } else if (magnitude < std::ldexp(1.0, least)) {
    bits = static_cast<unsigned>(std::ldexp(magnitude, digits - least));
  } else {
    int exponent = std::ilogb(magnitude);
    bits = static_cast<unsigned>(std::ldexp(magnitude, digits - exponent)) +
           (static_cast<unsigned>(exponent - least) << digits);
  }
  return bits | (std::signbit(value) ? 1U << (info(type).bits - 1) : 0U);
}

template <typename T>
T readAs(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

}  // namespace

int maxExponent(ScalarType type) {
  if (type == ScalarType::F8E4M3) return 8;
  if (type == ScalarType::F16 || type == ScalarType::F8E5M2) return 15;
  return type == ScalarType::F64 ? 1023 : 127;
}

// (The highest exponent of f8e4m3 is one of numbers, too.)
int minExponent(ScalarType type) { return type == ScalarType::F8E4M3 ? -6 : 1 - maxExponent(type); }

double roundTo(ScalarType type, double value) {
  if (type == ScalarType::F64) return value;
  if (type == ScalarType::F32) return static_cast<float>(value);
  const bool hasInfinity = type != ScalarType::F8E4M3;
  if (std::isinf(value) && !hasInfinity) return std::copysign(kNaN, value);
  if (value == 0 || !std::isfinite(value)) return value;
  // The last digit kept has weight 2^unit; below the smallest normal value the digits stop.
  int unit =
      std::max(std::ilogb(value), minExponent(type)) - (static_cast<int>(precision(type)) - 1);
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  if (!hasInfinity)
    return std::fabs(rounded) <= endOf(type, true).asFloat ? rounded : std::copysign(kNaN, value);
  return std::fabs(rounded) < std::ldexp(1.0, maxExponent(type) + 1)
             ? rounded
             : std::copysign(kInfinity, value);
}

Number integerNumber(ScalarType type, uint64_t bits) {
  const TypeInfo& t = info(type);
  return {0.0, bits & (t.cls == TypeClass::Bool ? 1 : ~uint64_t{0} >> (64 - t.bits))};
}

Number convert(const Number& value, ScalarType from, ScalarType to) {
  bool fromFloat = info(from).isFloat(), toFloat = info(to).isFloat();
  if (info(to).cls == TypeClass::Bool)
    return fromBool(fromFloat ? value.asFloat != 0 : value.asBits != 0);
  if (fromFloat && toFloat) return {roundTo(to, value.asFloat), 0};
  if (fromFloat) return integerNumber(to, floatToInteger(value.asFloat, to));
  int64_t extended = signedValue(from, value);
  if (!toFloat) return integerNumber(to, static_cast<uint64_t>(extended));
  bool negative = info(from).isSigned() && extended < 0;
  auto bits = static_cast<uint64_t>(extended);
  return {integerToFloat(to, negative, negative ? 0 - bits : bits), 0};
}

Number apply(Function function, ScalarType type, std::span<const Number> args) {
  if (function == Function::Select) return args[0].asBits != 0 ? args[1] : args[2];
  const TypeInfo& t = info(type);
  const Number &x = args[0], &y = args.back();
  bool comparison = info(function).signature == Signature::Compare;
  if (function == Function::Fma) {
    double a = x.asFloat, b = args[1].asFloat, c = y.asFloat;
    if (type == ScalarType::F64) return {std::fma(a, b, c), 0};
    float result = std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
    return {roundTo(type, result), 0};
  }
  if (t.isFloat()) {
    if (comparison) return fromBool(compare(function, x.asFloat, y.asFloat));
    double result = applyFloat(function, x.asFloat, y.asFloat);
    if (type == ScalarType::F64) return {result, 0};
    return {roundTo(type, static_cast<float>(result)), 0};
  }
  if (t.isSigned()) {
    int64_t a = signedValue(type, x), b = signedValue(type, y);
    if (comparison) return fromBool(compare(function, a, b));
    return integerNumber(type, applyInteger(function, a, b, t.bits));
  }
  if (comparison) return fromBool(compare(function, x.asBits, y.asBits));
  return integerNumber(type, applyInteger(function, x.asBits, y.asBits, t.bits));
}

long double applyWide(Function function, long double x, long double y) {
  return applyFloat(function, x, y);
}

Number readElement(ScalarType type, const std::byte* bytes) {
  switch (type) {
    case ScalarType::F8E4M3:
    case ScalarType::F8E5M2:
      return {fromBits(type, readAs<uint8_t>(bytes)), 0};
    case ScalarType::F16:
      return {fromBits(type, readAs<uint16_t>(bytes)), 0};
    case ScalarType::BF16:
      return {std::bit_cast<float>(uint32_t{readAs<uint16_t>(bytes)} << 16), 0};
    case ScalarType::F32:
      return {readAs<float>(bytes), 0};
    case ScalarType::F64:
      return {readAs<double>(bytes), 0};
    case ScalarType::Bool:
      return fromBool(readAs<uint8_t>(bytes) != 0);
    default:
      break;
  }
  switch (info(type).bits) {
    case 4:
      return {0.0, static_cast<uint64_t>(readAs<uint8_t>(bytes) & 15)};
    case 8:
      return {0.0, readAs<uint8_t>(bytes)};
    case 16:
      return {0.0, readAs<uint16_t>(bytes)};
    case 32:
      return {0.0, readAs<uint32_t>(bytes)};
    default:
      return {0.0, readAs<uint64_t>(bytes)};
  }
}

void writeElement(ScalarType type, const Number& value, std::byte* bytes) {
  uint64_t bits = value.asBits;
  if (type == ScalarType::F16 || type == ScalarType::F8E4M3 || type == ScalarType::F8E5M2)
    bits = toBits(type, value.asFloat);
  else if (type == ScalarType::BF16)
    bits = std::bit_cast<uint32_t>(static_cast<float>(value.asFloat)) >> 16;
  else if (type == ScalarType::F32)
    bits = std::bit_cast<uint32_t>(static_cast<float>(value.asFloat));
  else if (type == ScalarType::F64)
    bits = std::bit_cast<uint64_t>(value.asFloat);
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(bytes, &bits, info(type).bytes());
}

Number wordOf(ScalarType type, std::span<const Number> elements) {
  Number word;
  const unsigned bytes = info(type).bytes();
  const ScalarType whole = inBytes(type);
  std::byte memory[sizeof word.asBits] = {};
  for (size_t i = 0; i < elements.size(); ++i)
    writeElement(whole, whole == type ? elements[i] : convert(elements[i], type, whole),
                 memory + i * bytes);
  std::memcpy(&word.asBits, memory, sizeof memory);
  return word;
}

}  // namespace einc::ir
