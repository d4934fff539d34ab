// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "compiler/ir/literal.h"

namespace einc::ir {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Number fromBits(ScalarType type, uint64_t bits) {
  std::byte bytes[8];
  std::memcpy(bytes, &bits, 8);
  return readElement(type, bytes);
}

uint64_t toBits(ScalarType type, const Number& number) {
  uint64_t bits = 0;
  writeElement(type, number, reinterpret_cast<std::byte*>(&bits));
  return bits;
}

Number integer(ScalarType type, int64_t value) {
  return integerNumber(type, static_cast<uint64_t>(value));
}

double call(Function function, ScalarType type, double x, double y = 0) {
  Number args[] = {{x, 0}, {y, 0}};
  return apply(function, type, {args, info(function).arity}).asFloat;
}

int64_t callInteger(Function function, ScalarType type, int64_t x, int64_t y = 0) {
  Number args[] = {integer(type, x), integer(type, y)};
  return signedValue(type, apply(function, type, {args, info(function).arity}));
}

// All finite values of a 16-bit type that are not negative, ascending, then the first that does not
// exist any more.
std::vector<long double> magnitudes(ScalarType type) {
  std::vector<long double> values;
  for (uint64_t bits = 0; std::isfinite(fromBits(type, bits).asFloat); ++bits)
    values.push_back(fromBits(type, bits).asFloat);
  values.push_back(std::ldexp(1.0L, maxExponent(type) + 1));
  return values;
}

// The bits of the nearest value, found by search instead of arithmetic.
uint64_t nearestBits(const std::vector<long double>& values, long double magnitude) {
  auto above = std::lower_bound(values.begin(), values.end(), magnitude);
  if (above == values.end()) return values.size() - 1;
  auto index = static_cast<uint64_t>(above - values.begin());
  if (*above == magnitude) return index;
  long double up = *above - magnitude, down = magnitude - *(above - 1);
  bool takeUp = up < down || (up == down && index % 2 == 0);
  return takeUp ? index : index - 1;
}

TEST(Scalar, EverySixteenBitFloatSurvivesMemory) {
  for (ScalarType type : {ScalarType::F16, ScalarType::BF16})
    for (uint64_t bits = 0; bits < 65536; ++bits) {
      Number value = fromBits(type, bits);
      if (std::isnan(value.asFloat)) continue;
      ASSERT_EQ(toBits(type, value), bits);
      ASSERT_EQ(roundTo(type, value.asFloat), value.asFloat);
    }
  EXPECT_EQ(fromBits(ScalarType::F16, 0x3C01).asFloat, 1 + 0x1p-10);
  EXPECT_EQ(fromBits(ScalarType::F16, 0x7BFF).asFloat, 65504);
  EXPECT_EQ(fromBits(ScalarType::F16, 0x0001).asFloat, 0x1p-24);
  EXPECT_EQ(fromBits(ScalarType::BF16, 0xC000).asFloat, -2);
  for (ScalarType type : {ScalarType::F16, ScalarType::BF16})
    EXPECT_TRUE(std::isnan(fromBits(type, toBits(type, {kNaN, 0})).asFloat));
}

TEST(Scalar, RoundsDoublesOnce) {
  for (ScalarType type : {ScalarType::F16, ScalarType::BF16}) {
    std::vector<long double> values = magnitudes(type);
    for (size_t i = 0; i + 1 < values.size(); ++i) {
      // Around each value and each tie, where rounding through float would go wrong.
      auto value = static_cast<double>(values[i]);
      auto tie = static_cast<double>((values[i] + values[i + 1]) / 2);
      for (double x : {value, tie, std::nextafter(value, kInfinity), std::nextafter(tie, 0.0),
                       std::nextafter(tie, kInfinity)}) {
        ASSERT_EQ(toBits(type, {roundTo(type, x), 0}), nearestBits(values, x)) << x;
        ASSERT_EQ(roundTo(type, -x), -roundTo(type, x));
      }
    }
    EXPECT_EQ(roundTo(type, 1e300), kInfinity);
    EXPECT_EQ(roundTo(type, 5e-324), 0);
    EXPECT_TRUE(std::signbit(roundTo(type, -1e-300)));
  }
}

TEST(Scalar, RoundsIntegersOnce) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> tests = {0, 1, 65519, 65520, 65504, ~uint64_t{0}, uint64_t{1} << 63};
  for (int i = 0; i < 200000; ++i) {
    // Few set bits, so that ties and their neighbours are common.
    uint64_t x = (random() & random() & random()) >> (random() % 64);
    tests.push_back(x + random() % 3 - 1);
  }
  for (ScalarType type : {ScalarType::F16, ScalarType::BF16}) {
    std::vector<long double> values = magnitudes(type);
    for (uint64_t x : tests) {
      Number unsignedX{0.0, x};
      auto expected = static_cast<long double>(x);
      ASSERT_EQ(toBits(type, convert(unsignedX, ScalarType::U64, type)),
                nearestBits(values, expected))
          << x;
      auto negative = static_cast<int64_t>(x >> 1);
      uint64_t bits =
          toBits(type, convert(integer(ScalarType::I64, -negative), ScalarType::I64, type));
      ASSERT_EQ(bits & 0x7FFF, nearestBits(values, static_cast<long double>(negative)));
      ASSERT_EQ(bits >> 15, negative == 0 ? 0U : 1U);
    }
  }
  for (uint64_t x : tests) {
    EXPECT_EQ(convert({0.0, x}, ScalarType::U64, ScalarType::F32).asFloat, static_cast<float>(x));
    EXPECT_EQ(convert({0.0, x}, ScalarType::U64, ScalarType::F64).asFloat, static_cast<double>(x));
    EXPECT_EQ(convert({0.0, x}, ScalarType::I64, ScalarType::F32).asFloat,
              static_cast<float>(static_cast<int64_t>(x)));
  }
}

TEST(Scalar, FloatsBecomeIntegersTowardZeroAndSaturate) {
  auto cast = [](double x, ScalarType to) {
    return signedValue(to, convert({x, 0}, ScalarType::F64, to));
  };
  EXPECT_EQ(cast(2.9, ScalarType::I32), 2);
  EXPECT_EQ(cast(-2.9, ScalarType::I32), -2);
  EXPECT_EQ(cast(kNaN, ScalarType::I32), 0);
  EXPECT_EQ(cast(1e30, ScalarType::I32), INT32_MAX);
  EXPECT_EQ(cast(-kInfinity, ScalarType::I8), -128);
  EXPECT_EQ(cast(127.9, ScalarType::I8), 127);
  EXPECT_EQ(cast(-128.9, ScalarType::I8), -128);
  EXPECT_EQ(cast(0x1p63, ScalarType::I64), INT64_MAX);
  EXPECT_EQ(cast(-0x1p63, ScalarType::I64), INT64_MIN);
  EXPECT_EQ(cast(-0.5, ScalarType::U8), 0);
  EXPECT_EQ(cast(255.5, ScalarType::U8), 255);
  EXPECT_EQ(cast(-3, ScalarType::U64), 0);
  EXPECT_EQ(convert({0x1p64, 0}, ScalarType::F64, ScalarType::U64).asBits, ~uint64_t{0});
  EXPECT_EQ(convert({0x1p63, 0}, ScalarType::F64, ScalarType::U64).asBits, uint64_t{1} << 63);
  EXPECT_EQ(cast(kNaN, ScalarType::Bool), 1);
  EXPECT_EQ(cast(-0.0, ScalarType::Bool), 0);
  EXPECT_EQ(cast(1e-300, ScalarType::Bool), 1);
}

TEST(Scalar, IntegersConvertModulo) {
  auto cast = [](int64_t x, ScalarType from, ScalarType to) {
    return signedValue(to, convert(integer(from, x), from, to));
  };
  EXPECT_EQ(cast(-1, ScalarType::I8, ScalarType::U32), 0xFFFFFFFF);
  EXPECT_EQ(cast(200, ScalarType::U8, ScalarType::I8), -56);
  EXPECT_EQ(cast(200, ScalarType::U8, ScalarType::I64), 200);
  EXPECT_EQ(cast(256, ScalarType::I32, ScalarType::Bool), 1);
  EXPECT_EQ(cast(1, ScalarType::Bool, ScalarType::I16), 1);
  EXPECT_EQ(convert({0.0, 1}, ScalarType::Bool, ScalarType::F16).asFloat, 1.0);
}

TEST(Scalar, IntegerCornersAreDefined) {
  EXPECT_EQ(callInteger(Function::Add, ScalarType::I8, 127, 1), -128);
  EXPECT_EQ(callInteger(Function::Mul, ScalarType::I64, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(callInteger(Function::Sub, ScalarType::U16, 0, 1), 65535);
  for (ScalarType type : {ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64}) {
    int64_t least = INT64_MIN >> (64 - info(type).bits);
    EXPECT_EQ(callInteger(Function::Div, type, least, -1), least);
    EXPECT_EQ(callInteger(Function::Rem, type, least, -1), 0);
    EXPECT_EQ(callInteger(Function::Abs, type, least), least);
    EXPECT_EQ(callInteger(Function::Neg, type, least), least);
    EXPECT_EQ(callInteger(Function::Div, type, 7, 0), 0);
    EXPECT_EQ(callInteger(Function::Rem, type, -7, 0), -7);
    EXPECT_EQ(callInteger(Function::Div, type, -7, 2), -3);
    EXPECT_EQ(callInteger(Function::Rem, type, -7, 2), -1);
    EXPECT_EQ(callInteger(Function::Sign, type, -9), -1);
    EXPECT_EQ(callInteger(Function::Max, type, -1, 1), 1);
    EXPECT_EQ(callInteger(Function::Shl, type, 1, info(type).bits), 0);
    EXPECT_EQ(callInteger(Function::Shl, type, 1, -1), 0);
    EXPECT_EQ(callInteger(Function::Shr, type, -8, info(type).bits), -1);
    EXPECT_EQ(callInteger(Function::Shr, type, -8, -1), -1);
    EXPECT_EQ(callInteger(Function::Shr, type, 8, 100), 0);
    EXPECT_EQ(callInteger(Function::Shr, type, -8, 1), -4);
    EXPECT_EQ(callInteger(Function::Pow, type, -1, -3), -1);
    EXPECT_EQ(callInteger(Function::Pow, type, -1, -4), 1);
    EXPECT_EQ(callInteger(Function::Pow, type, 1, -4), 1);
    EXPECT_EQ(callInteger(Function::Pow, type, 2, -1), 0);
    EXPECT_EQ(callInteger(Function::Pow, type, 0, -1), 0);
    EXPECT_EQ(callInteger(Function::Pow, type, 0, 0), 1);
    EXPECT_EQ(callInteger(Function::Pow, type, -3, 3), -27);
  }
  EXPECT_EQ(callInteger(Function::Max, ScalarType::U8, 200, 1), 200);
  EXPECT_EQ(callInteger(Function::Shr, ScalarType::U8, 128, 7), 1);
  EXPECT_EQ(callInteger(Function::Div, ScalarType::U8, 255, 255), 1);
  EXPECT_EQ(callInteger(Function::Not, ScalarType::Bool, 1), 0);
  EXPECT_EQ(callInteger(Function::Not, ScalarType::U8, 1), 254);
  EXPECT_EQ(callInteger(Function::Xor, ScalarType::Bool, 1, 1), 0);
}

TEST(Scalar, EveryI8OperationWrapsTheTrueResult) {
  for (int x = -128; x < 128; ++x)
    for (int y = -128; y < 128; ++y) {
      auto wrapped = [](int v) { return static_cast<int8_t>(v); };
      ASSERT_EQ(callInteger(Function::Add, ScalarType::I8, x, y), wrapped(x + y));
      ASSERT_EQ(callInteger(Function::Sub, ScalarType::I8, x, y), wrapped(x - y));
      ASSERT_EQ(callInteger(Function::Mul, ScalarType::I8, x, y), wrapped(x * y));
      int64_t quotient = callInteger(Function::Div, ScalarType::I8, x, y);
      int64_t rest = callInteger(Function::Rem, ScalarType::I8, x, y);
      ASSERT_EQ(x, wrapped(static_cast<int>(quotient * y + rest)));
      if (y != 0) ASSERT_EQ(quotient, wrapped(x / y));
    }
}

TEST(Scalar, FloatCorners) {
  for (ScalarType type : {ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64}) {
    EXPECT_TRUE(std::isnan(call(Function::Max, type, kNaN, 1)));
    EXPECT_TRUE(std::isnan(call(Function::Min, type, 1, kNaN)));
    EXPECT_FALSE(std::signbit(call(Function::Max, type, -0.0, 0.0)));
    EXPECT_FALSE(std::signbit(call(Function::Max, type, 0.0, -0.0)));
    EXPECT_TRUE(std::signbit(call(Function::Min, type, 0.0, -0.0)));
    EXPECT_TRUE(std::isnan(call(Function::Sign, type, kNaN)));
    EXPECT_EQ(call(Function::Sign, type, -3), -1);
    EXPECT_TRUE(std::signbit(call(Function::Sign, type, -0.0)));
    EXPECT_EQ(call(Function::Div, type, 1, 0), kInfinity);
    EXPECT_EQ(call(Function::Reciprocal, type, -0.0), -kInfinity);
    EXPECT_EQ(call(Function::Round, type, -2.5), -3);
    EXPECT_EQ(call(Function::RoundEven, type, -2.5), -2);
    EXPECT_EQ(call(Function::Rem, type, -7, 2), -1);
    EXPECT_EQ(call(Function::Atan2, type, 0, -1),
              roundTo(type, static_cast<float>(M_PI)) +
                  (type == ScalarType::F64 ? M_PI - static_cast<float>(M_PI) : 0));
    Number nan[] = {{kNaN, 0}, {kNaN, 0}};
    EXPECT_EQ(apply(Function::Ne, type, nan).asBits, 1U);
    for (Function f : {Function::Eq, Function::Lt, Function::Le, Function::Gt, Function::Ge})
      EXPECT_EQ(apply(f, type, nan).asBits, 0U);
  }
  EXPECT_EQ(call(Function::Mul, ScalarType::F16, 256, 256), kInfinity);
  EXPECT_EQ(call(Function::Add, ScalarType::BF16, 256, 1), 256);
  EXPECT_EQ(call(Function::Exp, ScalarType::F32, 1), static_cast<float>(std::exp(1.0)));
}

// Through double and once to f32 is what the hardware's f32 gives.
TEST(Scalar, FloatArithmeticIsCorrectlyRounded) {
  std::mt19937_64 random(2);
  auto pick = [&] { return static_cast<float>(fromBits(ScalarType::F32, random()).asFloat); };
  for (int i = 0; i < 200000; ++i) {
    float x = pick(), y = pick();
    if (i % 2 && std::isnormal(x) && std::isfinite(y))
      y = std::ldexp(1 + (y - std::floor(y)), std::ilogb(x) + i % 9 - 4);
    if (std::isnan(x) || std::isnan(y) || y == 0) continue;
    auto same = [](double a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    ASSERT_TRUE(same(call(Function::Add, ScalarType::F32, x, y), x + y));
    ASSERT_TRUE(same(call(Function::Mul, ScalarType::F32, x, y), x * y));
    ASSERT_TRUE(same(call(Function::Div, ScalarType::F32, x, y), x / y));
    ASSERT_TRUE(same(call(Function::Sqrt, ScalarType::F32, x), std::sqrt(x)));
  }
}

TEST(Scalar, SelectTakesAnyType) {
  Number args[] = {{0.0, 1}, {2.5, 0}, {7.5, 0}};
  EXPECT_EQ(apply(Function::Select, ScalarType::F32, args).asFloat, 2.5);
  args[0].asBits = 0;
  EXPECT_EQ(apply(Function::Select, ScalarType::F32, args).asFloat, 7.5);
}

TEST(Scalar, EveryFunctionHasAValueForEachTypeItAccepts) {
  for (const FunctionInfo& function : allFunctions())
    for (const TypeInfo& type : allTypes()) {
      if (!accepts(function.function, type.type)) continue;
      Number one = type.isFloat() ? Number{1, 0} : Number{0, 1};
      Number args[] = {one, one, one};
      Number result = apply(function.function, type.type, {args, function.arity});
      EXPECT_FALSE(std::isnan(result.asFloat)) << function.name << " " << type.name;
    }
}

}  // namespace
}  // namespace einc::ir
