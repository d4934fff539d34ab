// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Functions of mathematics in GLSL: how far they are from the true values, which are the C
// library's in long double, and what they give for infinity, NaN and zero.
#include <cmath>
#include <iostream>
#include <random>

#include "tests/prelude/glsl_device.h"

namespace einc::tests {
namespace {

using emit::GlslType;
using emit::GlslValues;

// The greatest errors allowed, in units in the last place.
struct Limit {
  Function function;
  double f32, f64;
};
const Limit kLimits[] = {
    {Function::Rsqrt, 1.51, 1.51}, {Function::Cbrt, 0.9, 0.9},  {Function::Exp, 1.1, 1.1},
    {Function::Exp2, 1.3, 1.5},    {Function::Expm1, 1.4, 1.4}, {Function::Log, 1.0, 0.9},
    {Function::Log2, 1.6, 1.1},    {Function::Log10, 1.6, 1.6}, {Function::Log1p, 1.6, 1.4},
    {Function::Sin, 0.9, 0.9},     {Function::Cos, 0.9, 0.9},   {Function::Tan, 2.3, 2.3},
    {Function::Sinh, 2.6, 2.6},    {Function::Cosh, 2.4, 2.4},  {Function::Tanh, 1.4, 1.4},
    {Function::Atan, 1.9, 1.9},    {Function::Atan2, 2.2, 2.2}, {Function::Erf, 1.4, 1.6},
    {Function::Pow, 1.5, 1.5}};

// What a device's division and root add to that, of which each function has at most one whose error stays.
constexpr double kDivision = 2.5, kRoot = 4.5;

double limitOf(const Limit& limit, ScalarType type, bool roundsExactly) {
  if (type == ScalarType::F64) return limit.f64;
  double inexact = limit.function == Function::Rsqrt ? kRoot + kDivision : kDivision;
  double f32 = limit.f32 + (roundsExactly ? 0 : inexact);
  // One rounding more, of a value that is off in digits which f16 and bf16 do not have.
  return type == ScalarType::F32 ? f32 : 0.5 + f32 / 4096;
}

// The distance from the true value in units in the last place of the type; infinite where one is
// special and the other is not that.
double error(ScalarType type, double got, long double exact) {
  double nearest = ir::roundTo(
      type, type == ScalarType::F64 ? static_cast<double>(exact) : static_cast<float>(exact));
  if (std::isnan(nearest) || std::isnan(got))
    return std::isnan(nearest) && std::isnan(got) ? 0 : HUGE_VAL;
  bool isZero = nearest == 0 && got == 0;
  if (isZero) return std::signbit(nearest) == std::signbit(got) ? 0 : HUGE_VAL;
  if (std::isinf(nearest) && std::isinf(got)) return nearest == got ? 0 : HUGE_VAL;
  int digits = static_cast<int>(ir::precision(type)), most = ir::maxExponent(type);
  int exponent = exact == 0 ? -100000 : std::ilogb(exact);
  exponent = std::min(std::max(exponent, 1 - most), most);
  long double last = std::ldexp(1.0L, exponent - digits + 1);
  long double reached = std::isinf(got) ? std::copysign(std::ldexp(1.0L, most + 1), got) : got;
  long double wanted =
      std::isinf(nearest) ? std::copysign(std::ldexp(1.0L, most + 1), exact) : exact;
  return static_cast<double>(std::fabs(reached - wanted) / last);
}

// (glibc's powl of -infinity and -2^63 is infinity.)
long double exactly(Function f, double x, double y) {
  return f == Function::Pow && std::isinf(x) ? std::pow(x, y) : ir::applyWide(f, x, y);
}

// The error, where a subnormal result may be zero.
double errorOrFlushed(ScalarType type, double got, long double exact) {
  double off = error(type, got, exact);
  long double least = type == ScalarType::F64 ? 0x1p-1022L : 0x1p-126L;
  bool mayFlush = got == 0 && exact != 0 && std::fabs(exact) <= least &&
                  std::signbit(got) == std::signbit(exact);
  return mayFlush ? 0 : off;
}

class GlslFunctionsTest : public GlslDeviceTest {
 protected:
  // Prints the greatest error of each function.
  void expectClose(ScalarType type, int64_t lanes, const std::vector<std::vector<Number>>& inputs) {
    std::vector<Output> outputs;
    for (const Limit& limit : kLimits)
      outputs.push_back({type, [=](const GlslValues& values) {
                           std::vector<std::string> args = {"a", "b"};
                           args.resize(ir::info(limit.function).arity);
                           std::vector<GlslType> types(args.size(), {type, lanes});
                           return values.call(type, lanes, limit.function, types, args);
                         }});
    auto results = compute(type, lanes, inputs, outputs);
    ASSERT_EQ(results.size(), outputs.size());
    for (size_t k = 0; k < outputs.size(); ++k) {
      Function f = kLimits[k].function;
      double most = limitOf(kLimits[k], type, roundsExactly()), greatest = 0;
      size_t wrong = 0;
      for (size_t i = 0; i < inputs[0].size(); ++i) {
        std::vector<Number> args = {inputs[0][i], inputs[1][i]};
        if (ir::info(f).arity == 1) args.resize(1);
        if (f == Function::Atan2 &&
            (isBeyondDivision(type, args[0].asFloat) || isBeyondDivision(type, args[1].asFloat)))
          continue;
        double off = HUGE_VAL, got = results[k][i].asFloat;
        anyFlushed(type, args, [&](const std::vector<Number>& a) {
          long double exact = exactly(f, a[0].asFloat, a.back().asFloat);
          off = std::min(off, mayBeFlushed(type, got, static_cast<double>(exact))
                                  ? 0
                                  : errorOrFlushed(type, got, exact));
          return off <= most;
        });
        greatest = std::max(greatest, off);
        if (off > most && ++wrong <= 3)
          ADD_FAILURE() << ir::info(f).name << " " << ir::info(type).name << " of "
                        << describe(type, args[0]) << ", " << describe(type, args.back()) << ": "
                        << describe(type, results[k][i]) << ", " << off << " ulps";
      }
      EXPECT_EQ(wrong, 0U) << ir::info(f).name << " " << ir::info(type).name << " of "
                           << inputs[0].size();
      RecordProperty(std::string(ir::info(f).name) + "_" + std::string(ir::info(type).name),
                     std::to_string(greatest));
      std::cout << ir::info(f).name << " " << ir::info(type).name << ": " << greatest << " ulps\n";
    }
  }

  // Samples beside others, in another order.
  static std::vector<std::vector<Number>> inputs(ScalarType type, size_t randomCount) {
    auto lists = pairs(type, randomCount);
    lists.resize(2);
    std::vector<Number> more = samples(type, randomCount);
    lists[0].insert(lists[0].end(), more.begin(), more.end());
    for (size_t i = 0; i < more.size(); ++i)
      lists[1].push_back(more[(i * 7919 + 13) % more.size()]);
    addHard(lists, type);
    return lists;
  }

  // Where results of pow are neither 0 nor infinite; and the floats nearest to a multiple of pi / 2
  // (Muller, Elementary Functions, 2016, section 11.2).
  static void addHard(std::vector<std::vector<Number>>& lists, ScalarType type) {
    std::mt19937_64 random(9);
    auto uniform = [&](double low, double high) {
      return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
    };
    auto add = [&](double x, double y) {
      lists[0].push_back({ir::roundTo(type, x), 0});
      lists[1].push_back({ir::roundTo(type, y), 0});
    };
    for (int i = 0; i < 20000; ++i) {
      double x = std::exp2(uniform(-1, 1) * std::exp2(uniform(-20, 6)));
      double limit = type == ScalarType::F64 ? 1080 : 150;
      add(x, uniform(-limit, limit) / std::log2(x));
    }
    for (double sign : {1.0, -1.0}) {
      add(sign * 0x1.f37c8ap+95, 1);          // 16367173 2^72
      add(sign * 0x1.6ac5b262ca1ffp+849, 1);  // 6381956970095103 2^797
      for (int i = 0; i < 2000; ++i) add(sign * i * (M_PI / 2), sign);
      for (int i = 0; i < 4000; ++i) add(sign * uniform(-3, 3), sign * uniform(-0.1, 0.1));
    }
  }
};

TEST_F(GlslFunctionsTest, F32) { expectClose(ScalarType::F32, 1, inputs(ScalarType::F32, 20000)); }
TEST_F(GlslFunctionsTest, F64) { expectClose(ScalarType::F64, 1, inputs(ScalarType::F64, 10000)); }
TEST_F(GlslFunctionsTest, F16) { expectClose(ScalarType::F16, 1, inputs(ScalarType::F16, 2000)); }
TEST_F(GlslFunctionsTest, BF16) {
  expectClose(ScalarType::BF16, 1, inputs(ScalarType::BF16, 2000));
}
TEST_F(GlslFunctionsTest, FourLanes) {
  for (ScalarType type : {ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64})
    expectClose(type, 4, inputs(type, 100));
}

}  // namespace
}  // namespace einc::tests
