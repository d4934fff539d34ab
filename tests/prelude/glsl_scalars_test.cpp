// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Payload values as GLSL, function by function and cast by cast, against the judge (ir/scalar):
// those whose results are exact or rounded once, but for divisions and roots as the device takes
// them. Subnormal numbers may be flushed to zero.
#include <algorithm>
#include <cmath>

#include "compiler/ir/literal.h"
#include "tests/prelude/glsl_device.h"

namespace einc::tests {
namespace {

using emit::GlslType;
using emit::GlslValues;

bool same(ScalarType type, const Number& a, const Number& b) {
  if (!ir::info(type).isFloat()) return a.asBits == b.asBits;
  if (std::isnan(a.asFloat) || std::isnan(b.asFloat))
    return std::isnan(a.asFloat) && std::isnan(b.asFloat);
  return a.asFloat == b.asFloat && std::signbit(a.asFloat) == std::signbit(b.asFloat);
}

// The same, or a zero in place of a subnormal number.
bool sameOrFlushed(ScalarType type, const Number& got, const Number& expected) {
  if (same(type, got, expected)) return true;
  return isSubnormal(type, expected.asFloat) &&
         same(type, got, {std::copysign(0.0, expected.asFloat), 0});
}

// Functions of mathematics have errors: glsl_functions_test.
bool isExact(Function f, ScalarType type) {
  if (!ir::info(type).isFloat()) return true;
  switch (f) {
    case Function::Cbrt:
    case Function::Exp:
    case Function::Exp2:
    case Function::Expm1:
    case Function::Log:
    case Function::Log2:
    case Function::Log10:
    case Function::Log1p:
    case Function::Sin:
    case Function::Cos:
    case Function::Tan:
    case Function::Sinh:
    case Function::Cosh:
    case Function::Tanh:
    case Function::Atan:
    case Function::Atan2:
    case Function::Erf:
    case Function::Pow:
    case Function::Rsqrt:
      return false;
    default:
      return true;
  }
}

// How far off a device may be that does not divide exactly, in units in the last place.
double mostOff(Function f, ScalarType type) {
  bool divides = f == Function::Div || f == Function::Reciprocal || f == Function::Sqrt;
  if (!divides || type == ScalarType::F64 || !ir::info(type).isFloat()) return 0;
  if (type != ScalarType::F32) return 1;  // rounded to fewer digits
  return f == Function::Sqrt ? 4.5 : 2.5;
}

// Whether both are finite and at most so many units in the last place of what is expected apart.
bool areClose(ScalarType type, double got, double expected, double ulps) {
  if (!std::isfinite(got) || !std::isfinite(expected) || expected == 0) return false;
  int exponent = std::max(std::ilogb(expected), 1 - ir::maxExponent(type));
  double last = std::ldexp(1.0, exponent - static_cast<int>(ir::precision(type)) + 1);
  return std::fabs(got - expected) <= ulps * last;
}

class GlslScalarsTest : public GlslDeviceTest {
 protected:
  // Whether the device may give this for that, of arguments of this type.
  bool mayBe(Function f, ScalarType type, const Number& got, const Number& expected,
             const std::vector<Number>& args) const {
    const bool isNumber = ir::info(f).signature != ir::Signature::Compare;
    if (isNumber && mayBeFlushed(type, got.asFloat, expected.asFloat)) return true;
    if (roundsExactly() || mostOff(f, type) == 0) return false;
    const Number& divisor = args[f == Function::Div ? 1 : 0];
    return isBeyondDivision(type, divisor.asFloat) ||
           areClose(type, got.asFloat, expected.asFloat, mostOff(f, type));
  }

  void expectExactFunctions(ScalarType type, int64_t lanes) {
    std::vector<Function> functions;
    std::vector<Output> outputs;
    for (const ir::FunctionInfo& info : ir::allFunctions()) {
      Function f = info.function;
      if (!ir::accepts(f, type) || !isExact(f, type)) continue;
      functions.push_back(f);
      ScalarType result = info.signature == ir::Signature::Compare ? ScalarType::Bool : type;
      outputs.push_back({result, [=](const GlslValues& values) {
                           std::vector<std::string> args = {"a", "b", "c"};
                           std::vector<GlslType> types(info.arity, {type, lanes});
                           args.resize(info.arity);
                           if (f == Function::Select) {
                             // The condition: a and b compared.
                             args = {values.call(ScalarType::Bool, lanes, Function::Lt,
                                                 {{type, lanes}, {type, lanes}}, {"a", "b"}),
                                     "b", "c"};
                             if (type == ScalarType::Bool) args[0] = "a";
                             types[0] = {ScalarType::Bool, lanes};
                           }
                           return values.call(result, lanes, f, types, args);
                         }});
    }
    auto inputs = pairs(type, 2000);
    auto results = compute(type, lanes, inputs, outputs);
    ASSERT_EQ(results.size(), outputs.size());
    for (size_t k = 0; k < functions.size(); ++k) {
      Function f = functions[k];
      size_t wrong = 0;
      for (size_t i = 0; i < inputs[0].size(); ++i) {
        std::vector<Number> args = {inputs[0][i], inputs[1][i], inputs[2][i]};
        const Number& got = results[k][i];
        bool isRight = anyFlushed(type, args, [&](const std::vector<Number>& a) {
          return sameOrFlushed(outputs[k].type, got, expected(f, type, a)) ||
                 mayBe(f, type, got, expected(f, type, a), a) ||
                 (f == Function::Fma && sameOrFlushed(type, got, twiceRounded(type, a)));
        });
        if (isRight) continue;
        if (++wrong <= 3)
          ADD_FAILURE() << ir::info(f).name << " " << ir::info(type).name << " of "
                        << describe(type, args[0]) << ", " << describe(type, args[1]) << ", "
                        << describe(type, args[2]) << ": " << describe(outputs[k].type, got)
                        << ", not " << describe(outputs[k].type, expected(f, type, args));
      }
      EXPECT_EQ(wrong, 0U) << ir::info(f).name << " " << ir::info(type).name << " of "
                           << inputs[0].size();
    }
  }

  static Number expected(Function f, ScalarType type, const std::vector<Number>& args) {
    if (f == Function::Select) {
      bool isLess = type == ScalarType::Bool
                        ? args[0].asBits != 0
                        : ir::apply(Function::Lt, type, {args.data(), 2}).asBits != 0;
      return isLess ? args[1] : args[2];
    }
    return ir::apply(f, type, {args.data(), ir::info(f).arity});
  }

  // fma as a product and a sum, which Vulkan allows.
  static Number twiceRounded(ScalarType type, const std::vector<Number>& args) {
    Number product = ir::apply(Function::Mul, type, {args.data(), 2});
    if (isSubnormal(type, product.asFloat)) product.asFloat = 0;
    std::vector<Number> rest = {product, args[2]};
    return ir::apply(Function::Add, type, rest);
  }

  void expectCasts(ScalarType from, int64_t lanes) {
    std::vector<Output> outputs;
    for (const ir::TypeInfo& to : ir::computedTypes())
      outputs.push_back({to.type, [=, to = to.type](const GlslValues& values) {
                           return values.cast(to, from, lanes, "a");
                         }});
    std::vector<Number> input = samples(from, 20000);
    auto results = compute(from, lanes, {input}, outputs);
    ASSERT_EQ(results.size(), outputs.size());
    for (size_t k = 0; k < outputs.size(); ++k) {
      ScalarType to = outputs[k].type;
      size_t wrong = 0;
      for (size_t i = 0; i < input.size(); ++i) {
        bool isRight = anyFlushed(from, {input[i]}, [&](const std::vector<Number>& a) {
          Number expected = ir::convert(a[0], from, to);
          return sameOrFlushed(to, results[k][i], expected) ||
                 mayBeFlushed(to, results[k][i].asFloat, expected.asFloat);
        });
        if (!isRight && ++wrong <= 3)
          ADD_FAILURE() << ir::info(from).name << " to " << ir::info(to).name << " of "
                        << describe(from, input[i]) << ": " << describe(to, results[k][i])
                        << ", not " << describe(to, ir::convert(input[i], from, to));
      }
      EXPECT_EQ(wrong, 0U) << ir::info(from).name << " to " << ir::info(to).name << " of "
                           << input.size();
    }
  }
};

TEST_F(GlslScalarsTest, FunctionsAreExact) {
  for (const ir::TypeInfo& type : ir::computedTypes()) expectExactFunctions(type.type, 1);
}

TEST_F(GlslScalarsTest, FunctionsOfLanesAreExact) {
  for (int64_t lanes : {2, 4})
    for (const ir::TypeInfo& type : ir::computedTypes()) expectExactFunctions(type.type, lanes);
}

TEST_F(GlslScalarsTest, CastsAreExact) {
  for (const ir::TypeInfo& type : ir::computedTypes()) expectCasts(type.type, 1);
}

TEST_F(GlslScalarsTest, CastsOfLanesAreExact) {
  for (int64_t lanes : {2, 4})
    for (const ir::TypeInfo& type : ir::computedTypes()) expectCasts(type.type, lanes);
}

TEST_F(GlslScalarsTest, LiteralsAreExact) {
  for (const ir::TypeInfo& t : ir::computedTypes()) {
    ScalarType type = t.type;
    std::vector<Number> all = samples(type, 40), numbers;
    for (size_t i = 0; i < all.size(); i += std::max<size_t>(all.size() / 150, 1))
      numbers.push_back(all[i]);
    numbers.push_back(ir::endOf(type, false));
    numbers.push_back(ir::endOf(type, true));
    std::vector<Output> outputs;
    for (const Number& number : numbers)
      outputs.push_back({type, [=](const GlslValues& v) { return v.literal(type, number); }});
    auto results = compute(type, 1, {{4, numbers[0]}}, outputs);
    ASSERT_EQ(results.size(), outputs.size());
    for (size_t k = 0; k < numbers.size(); ++k)
      EXPECT_TRUE(sameOrFlushed(type, results[k][0], numbers[k]))
          << t.name << " " << describe(type, numbers[k]) << ": " << describe(type, results[k][0]);
  }
}

TEST_F(GlslScalarsTest, EveryByteButZeroIsTrue) {
  std::vector<Number> bytes;
  for (uint64_t i = 0; i < 256; ++i) bytes.push_back({0, i});
  auto results =
      compute(ScalarType::U8, 1, {bytes},
              {{ScalarType::U8, [](const GlslValues& values) {
                  return "uint(" + values.fromStorage(ScalarType::Bool, 1, "in_a[i]") + ")";
                }}});
  ASSERT_EQ(results.size(), 1U);
  for (size_t i = 0; i < 256; ++i) EXPECT_EQ(results[0][i].asBits, i == 0 ? 0 : 1) << i;
}

}  // namespace
}  // namespace einc::tests
