// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/error_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "compiler/interp/interpreter.h"
#include "compiler/interp/test_kernels.h"

namespace einc::interp {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const ScalarType kFloats[] = {ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64};

std::vector<double> randoms(std::mt19937& random, size_t count, double scale = 1) {
  std::vector<double> values;
  std::uniform_real_distribution<double> distribution(-scale, scale);
  for (size_t i = 0; i < count; ++i) values.push_back(distribution(random));
  return values;
}

ExpectedTensor expect(const ir::Kernel& kernel, const Arguments& arguments) {
  ErrorBounds bounds = bound(kernel, arguments);
  EXPECT_TRUE(bounds.outcome.ok()) << bounds.outcome.message;
  return bounds.outputs.at(0);
}

// A dot product whose terms are taken in a random order, by a random tree of additions.
double shuffledDot(std::mt19937& random, ScalarType type, const View& a, const View& b, double c) {
  auto op = [&](Function f, double x, double y) {
    ir::Number args[] = {{x, 0}, {y, 0}};
    return apply(f, type, args).asFloat;
  };
  std::vector<double> terms = {c}, x = valuesOf(a), y = valuesOf(b);
  for (size_t i = 0; i < x.size(); ++i) terms.push_back(op(Function::Mul, x[i], y[i]));
  while (terms.size() > 1) {
    std::swap(terms[random() % terms.size()], terms.back());
    double last = terms.back();
    terms.pop_back();
    double& other = terms[random() % terms.size()];
    other = op(Function::Add, other, last);
  }
  return terms[0];
}

TEST(ErrorBound, SumsHoldInAnyOrder) {
  std::mt19937 random(5);
  for (ScalarType type : kFloats)
    for (int64_t k : {1, 2, 5, 40, 300}) {
      View a = array(type, {1, k}, randoms(random, static_cast<size_t>(k)));
      View b = array(type, {k, 1}, randoms(random, static_cast<size_t>(k)));
      View c = array(type, {1, 1}, {0.75});
      ExpectedTensor expected = expect(matmul(type, type), {{a, b, c}, {}});
      EXPECT_EQ(valuesOf(c)[0], 0.75);  // untouched
      double magnitudes = 0.75;
      for (int64_t i = 0; i < k; ++i)
        magnitudes +=
            std::fabs(valuesOf(a)[static_cast<size_t>(i)] * valuesOf(b)[static_cast<size_t>(i)]);
      double u = std::ldexp(1.0, -static_cast<int>(ir::precision(type)));
      EXPECT_GT(expected.elements[0].bound, 0);
      if (k * u < 0.1)
        EXPECT_LT(expected.elements[0].bound, 1.2 * static_cast<double>(k + 1) * u * magnitudes);
      for (int i = 0; i < 50; ++i) {
        View actual = array(type, {1, 1}, {shuffledDot(random, type, a, b, 0.75)});
        Comparison result = compare(expected, actual);
        ASSERT_TRUE(result.passes()) << info(type).name << " k = " << k << " " << result.firstWrong;
        ASSERT_EQ(result.marginal, 0);
      }
    }
}

TEST(ErrorBound, SmallIntegersMustBeExact) {
  std::mt19937 random(6);
  for (ScalarType type : {ScalarType::F16, ScalarType::F32, ScalarType::F64, ScalarType::I32}) {
    std::vector<double> values;
    for (int i = 0; i < 64; ++i) values.push_back(static_cast<double>(random() % 7) - 3);
    View a = array(type, {8, 8}, values), b = array(type, {8, 8}, values),
         c = array(type, {8, 8}, values);
    ExpectedTensor expected = expect(matmul(type, type), {{a, b, c}, {}});
    for (const Element& element : expected.elements) EXPECT_EQ(element.bound, 0);
    ASSERT_TRUE(run(matmul(type, type), {{a, b, c}, {}}).ok());
    EXPECT_EQ(compare(expected, c).worst, 0);
    c.store(std::vector<int64_t>{3, 4}, numberOf(type, 1000));
    Comparison wrong = compare(expected, c);
    EXPECT_EQ(wrong.wrong, 1);
    EXPECT_EQ(wrong.firstWrong.substr(0, 18), "at [3, 4]: 1000, e");
  }
}

TEST(ErrorBound, FindsADroppedTerm) {
  std::mt19937 random(7);
  View a = floats({16, 100}, randoms(random, 1600)), b = floats({100, 16}, randoms(random, 1600));
  View c = floats({16, 16});
  ExpectedTensor expected = expect(matmul(), {{a, b, c}, {}});
  a.sizes[1] = b.sizes[0] = 99;
  ASSERT_TRUE(run(matmul(), {{a, b, c}, {}}).ok());
  Comparison result = compare(expected, c);
  EXPECT_GT(result.wrong, 250);
  EXPECT_FALSE(result.isWeak());
}

// Every function, on special and random values, alone and on arguments that carry errors: what the
// interpreter gives is within the bound.
TEST(ErrorBound, HoldsForEveryFunction) {
  std::mt19937 random(8);
  std::vector<double> x = {0.0,   -0.0, 1,         -1,         0.5,  2.5,
                           1e-30, 3e38, kInfinity, -kInfinity, kNaN, 1e-44};
  std::vector<double> a, b;
  for (double p : x)
    for (double q : x) a.push_back(p), b.push_back(q);
  for (double scale : {1.0, 10.0, 100.0, 1e-5})
    for (double value : randoms(random, 60, scale))
      a.push_back(value), b.push_back(2 - value * value);
  auto count = static_cast<int64_t>(a.size());
  for (ScalarType type : kFloats)
    for (const ir::FunctionInfo& function : ir::allFunctions()) {
      if (!accepts(function.function, type) || function.signature == ir::Signature::Select)
        continue;
      ValueRef p = operand(0, type), q = operand(1, type);
      ValueRef noisy = call(Function::Sub, {call(Function::Exp, {p}), real(0.9, type)});
      ValueRef noisier = call(Function::Mul, {call(Function::Sin, {q}), q});
      int64_t bounded = 0;
      for (const auto& args :
           {std::vector{p, q, p}, {noisy, q, noisier}, {p, noisier, q}, {noisy, noisier, p}}) {
        ir::Kernel kernel = elementwise(
            2, type, call(function.function, {args.begin(), args.begin() + function.arity}));
        Arguments arguments{{array(type, {count}, a), array(type, {count}, b),
                             array(kernel.tensors[2].type, {count})},
                            {}};
        ExpectedTensor expected = expect(kernel, arguments);
        ASSERT_TRUE(run(kernel, arguments).ok());
        Comparison result = compare(expected, arguments.tensors[2]);
        ASSERT_TRUE(result.passes())
            << function.name << " " << info(type).name << " " << result.firstWrong;
        bounded += result.elements - result.unbounded;
      }
      EXPECT_GT(bounded, 2 * count) << function.name << " " << info(type).name;
    }
}

TEST(ErrorBound, HoldsForEveryCast) {
  std::mt19937 random(9);
  std::vector<double> values = randoms(random, 300, 300);
  for (const ir::TypeInfo& from : ir::allTypes())
    for (const ir::TypeInfo& to : ir::allTypes()) {
      ValueRef arg = operand(0, from.type);
      if (from.isFloat() && !from.onlyStores())
        arg = call(Function::Exp2, {call(Function::Div, {arg, real(32, from.type)})});
      ir::Kernel kernel = elementwise(1, from.type, ir::makeCast(to.type, arg));
      Arguments arguments{{array(from.type, {300}, values), array(to.type, {300})}, {}};
      ExpectedTensor expected = expect(kernel, arguments);
      ASSERT_TRUE(run(kernel, arguments).ok());
      Comparison result = compare(expected, arguments.tensors[1]);
      EXPECT_TRUE(result.passes()) << from.name << " to " << to.name << " " << result.firstWrong;
      if (precision(from.type) > 11 || !from.isFloat())
        EXPECT_LT(result.unbounded, 30) << from.name << " to " << to.name;
    }
}

Element single(ValueRef payload, double a, double b = 0) {
  ScalarType type = ScalarType::F32;
  ir::Kernel kernel = elementwise(2, type, std::move(payload));
  Arguments arguments{
      {array(type, {1}, {a}), array(type, {1}, {b}), array(kernel.tensors[2].type, {1})}, {}};
  return expect(kernel, arguments).elements[0];
}

TEST(ErrorBound, AmbiguousResultsAreUnbounded) {
  ValueRef a = operand(0), b = operand(1), third = call(Function::Div, {a, real(3)});
  auto difference = call(Function::Sub, {third, b});
  // a / 3 carries an error; compared with nearly the same number, either answer is right.
  double same = 1.0f / 3;
  EXPECT_EQ(single(call(Function::Lt, {third, b}), 1, same).bound, kInfinity);
  EXPECT_EQ(single(call(Function::Lt, {third, b}), 1, 0.3334).bound, 0);
  EXPECT_EQ(single(call(Function::Select, {call(Function::Lt, {third, b}), a, b}), 1, same).bound,
            kInfinity);
  EXPECT_EQ(single(call(Function::Reciprocal, {difference}), 1, same).bound, kInfinity);
  EXPECT_EQ(single(call(Function::Sign, {difference}), 1, same).bound, kInfinity);
  EXPECT_EQ(single(call(Function::Floor, {call(Function::Exp, {a})}), 0).bound, kInfinity);
  EXPECT_EQ(single(call(Function::Floor, {call(Function::Exp, {a})}), 1).bound, 0);
  EXPECT_EQ(single(ir::makeCast(ScalarType::I32, call(Function::Exp, {a})), 0).bound, kInfinity);
  EXPECT_EQ(single(call(Function::Sqrt, {difference}), 1, same).bound, kInfinity);
  EXPECT_EQ(single(call(Function::Atan2, {difference, a}), 1, same).bound < 1e-6, true);
  EXPECT_EQ(single(call(Function::Atan2, {difference, real(-1)}), 1, same).bound, kInfinity);
  EXPECT_EQ(single(call(Function::Lt, {a, b}), 1, 1).bound, 0);  // exact operands decide
}

TEST(ErrorBound, KindsMustMatch) {
  ValueRef a = operand(0), b = operand(1);
  Element nan = single(call(Function::Sub, {a, b}), kInfinity, kInfinity);
  EXPECT_TRUE(std::isnan(nan.value));
  EXPECT_EQ(nan.bound, 0);
  ExpectedTensor expected{0, ScalarType::F32, {1}, {nan}};
  EXPECT_TRUE(compare(expected, floats({1}, {kNaN})).passes());
  EXPECT_FALSE(compare(expected, floats({1}, {kInfinity})).passes());
  expected.elements = {single(call(Function::Mul, {a, a}), -1e30)};
  EXPECT_EQ(expected.elements[0].value, kInfinity);
  EXPECT_TRUE(compare(expected, floats({1}, {kInfinity})).passes());
  EXPECT_FALSE(compare(expected, floats({1}, {-kInfinity})).passes());
  EXPECT_FALSE(compare(expected, floats({1}, {1e38})).passes());
}

// Y() = A() reduced with `function`.
ir::Kernel reduction(Function function, ScalarType type) {
  ir::Kernel kernel = elementwise(1, type, call(function, {operand(1, type), operand(0, type)}));
  auto& op = std::get<ir::StructuredOp>(kernel.body[0].node);
  op.iterators[0].kind = IteratorKind::Reduction;
  op.outputs[0].map.clear();
  kernel.tensors[1].shape.clear();
  return kernel;
}

TEST(ErrorBound, ReductionsThatSomeOrderWouldOverflowAreUnbounded) {
  auto boundOf = [](Function function, std::vector<double> values, double start) {
    auto n = static_cast<int64_t>(values.size());
    return expect(reduction(function, ScalarType::F32),
                  {{floats({n}, values), floats({}, {start})}, {}})
        .elements[0]
        .bound;
  };
  EXPECT_EQ(boundOf(Function::Add, {3e38, -3e38, 3e38}, 0), kInfinity);
  EXPECT_EQ(boundOf(Function::Mul, {1e30, 1e-30, 1e30}, 1), kInfinity);
  EXPECT_EQ(boundOf(Function::Mul, {1e-30, 1e30, 1e-30}, 1), kInfinity);
  EXPECT_EQ(boundOf(Function::Mul, {2, 0.5, 3, 1e6}, 4), 0);
  EXPECT_GT(boundOf(Function::Mul, {1.1, 1.2, 1.3}, 1), 0);
  EXPECT_LT(boundOf(Function::Mul, {1.1, 1.2, 1.3}, 1), 1e-6);
  EXPECT_EQ(boundOf(Function::Mul, {1.1, 0, 1.3}, 1), 0);
  EXPECT_EQ(boundOf(Function::Max, {1.1, -5, 1.3}, 1), 0);
  EXPECT_EQ(boundOf(Function::Add, {kInfinity, 1.5, 2.5}, 0.1), 0);
  // A cancelled sum is still one of four terms.
  EXPECT_GT(boundOf(Function::Add, {1, -1, 1e-10}, 0.5), 1e-8);
  EXPECT_EQ(boundOf(Function::Add, {1, -1, 0, 0.25}, 0.5), 0);
}

TEST(ErrorBound, ProductsHoldInAnyOrder) {
  std::mt19937 random(10);
  std::vector<double> values = randoms(random, 12, 1.5);
  for (ScalarType type : kFloats) {
    View start = array(type, {}, {1.25});
    ExpectedTensor expected =
        expect(reduction(Function::Mul, type), {{array(type, {12}, values), start}, {}});
    for (int i = 0; i < 50; ++i) {
      std::shuffle(values.begin(), values.end(), random);
      View result = array(type, {}, {1.25});
      ASSERT_TRUE(
          run(reduction(Function::Mul, type), {{array(type, {12}, values), result}, {}}).ok());
      ASSERT_TRUE(compare(expected, result).passes());
    }
  }
}

TEST(ErrorBound, AMaskedSumIsASum) {
  // Y += select(A > 0, A, 0) written as select(A > 0, Y + A, Y)
  ir::Kernel kernel = reduction(Function::Add, ScalarType::F32);
  auto& result = std::get<ir::StructuredOp>(kernel.body[0].node).results[0];
  result = call(Function::Select, {call(Function::Gt, {operand(0), real(0)}), result, operand(1)});
  std::mt19937 random(11);
  std::vector<double> values = randoms(random, 100);
  ExpectedTensor expected = expect(kernel, {{floats({100}, values), floats({})}, {}});
  for (int i = 0; i < 50; ++i) {
    std::shuffle(values.begin(), values.end(), random);
    View y = floats({});
    ASSERT_TRUE(run(kernel, {{floats({100}, values), y}, {}}).ok());
    ASSERT_TRUE(compare(expected, y).passes());
  }
  EXPECT_LT(expected.elements[0].bound, 1e-3);
}

TEST(ErrorBound, IntegersAreComparedAsBits) {
  ScalarType type = ScalarType::I64;
  ir::Kernel kernel = elementwise(1, type, call(Function::Add, {operand(0, type), whole(1, type)}));
  View a = array(type, {1}), y = array(type, {1});
  a.store(std::vector<int64_t>{0}, {0, uint64_t{1} << 62});
  ExpectedTensor expected = expect(kernel, {{a, y}, {}});
  y.store(std::vector<int64_t>{0}, {0, uint64_t{1} << 62});  // the same in double
  EXPECT_EQ(compare(expected, y).firstWrong,
            "at [0]: 4611686018427387904, expected 4611686018427387905");
}

TEST(ErrorBound, ContractFailuresAreReported) {
  ErrorBounds bounds = bound(matmul(), {{floats({2, 3}), floats({4, 5}), floats({2, 5})}, {}});
  EXPECT_EQ(bounds.outcome.status, Status::EINC_SIZE_MISMATCH);
  EXPECT_TRUE(bounds.outputs.empty());
}

}  // namespace
}  // namespace einc::interp
