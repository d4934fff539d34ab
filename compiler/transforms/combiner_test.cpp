// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/combiner.h"

#include <cmath>

#include "compiler/ir/literal.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using ir::Function;
using ir::ScalarType;

// A kernel that adds something to c, or whatever `payload` says, in elements a and b.
ir::Kernel kernelOf(const std::string& payload, const std::string& type = "f32") {
  return ir::test::goodKernel("kernel @f(%A: tensor<K x " + type + ">, %B: tensor<K x " + type +
                              ">) -> (%C: tensor<" + type +
                              ">) level tensors { op (k: reduction) ins(%A[k], %B[k]) outs(%C[]) "
                              "{ (a, b, c) -> " +
                              payload + " } }");
}
ir::StructuredOp opOf(const std::string& payload, const std::string& type = "f32") {
  return std::get<ir::StructuredOp>(kernelOf(payload, type).body[0].node);
}

// The larger value, and where it stands; among equal ones the first.
constexpr const char* kPairs =
    "kernel @f(%X: tensor<N x f32>) -> (%v: tensor<f32>, %p: tensor<i64>) level tensors { "
    "op (n: reduction) ins(%X[n]) outs(%v[], %p[]) "
    "{ (x, v, p) -> select(gt(x, v), x, v), select(gt(x, v), index(n), p) } "
    "combine { (v, p, w, q) -> select(or(gt(v, w), and(eq(v, w), le(p, q))), v, w), "
    "select(or(gt(v, w), and(eq(v, w), le(p, q))), p, q) } "
    "neutral (-inf_f32, 9223372036854775807_i64) }";
ir::StructuredOp pairs() {
  return std::get<ir::StructuredOp>(ir::test::goodKernel(kPairs).body[0].node);
}

// The payload, as text.
std::string payloadOf(const ir::StructuredOp& op, const std::string& type = "f32") {
  ir::Kernel kernel = kernelOf("c", type);
  kernel.body = only({op});
  const std::string text = ir::print(kernel), begin = "(a, b, c) -> ";
  const size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(" }", from) - from);
}

TEST(Combiner, FunctionsThatMayBeDoneInParts) {
  EXPECT_EQ(combinerOf(opOf("add(c, mul(a, b))")), Function::Add);
  EXPECT_EQ(combinerOf(opOf("add(mul(a, b), c)")), Function::Add);
  EXPECT_EQ(combinerOf(opOf("mul(c, a)")), Function::Mul);
  EXPECT_EQ(combinerOf(opOf("max(c, a)")), Function::Max);
  EXPECT_EQ(combinerOf(opOf("min(a, c)", "i64")), Function::Min);
  EXPECT_EQ(combinerOf(opOf("and(c, a)", "bool")), Function::And);
  EXPECT_EQ(combinerOf(opOf("or(c, a)", "bool")), Function::Or);
  EXPECT_EQ(combinerOf(opOf("xor(c, a)", "bool")), Function::Xor);
}

TEST(Combiner, OthersHaveAnOrder) {
  EXPECT_EQ(combinerOf(opOf("sub(c, a)")), std::nullopt);  // asSum makes it one that may be
  EXPECT_EQ(combinerOf(opOf("div(c, a)")), std::nullopt);
  EXPECT_EQ(combinerOf(opOf("a")), std::nullopt);
  EXPECT_EQ(combinerOf(opOf("sqrt(c)")), std::nullopt);
  EXPECT_EQ(combinerOf(opOf("fma(a, b, c)")), std::nullopt);
  // What was there is not read, read twice, or changed before.
  EXPECT_EQ(combinerOf(opOf("add(a, b)")), std::nullopt);
  EXPECT_EQ(combinerOf(opOf("add(c, c)")), std::nullopt);
  EXPECT_EQ(combinerOf(opOf("add(c, mul(a, c))")), std::nullopt);
  EXPECT_EQ(combinerOf(opOf("add(neg(c), a)")), std::nullopt);
  // Several results.
  EXPECT_EQ(combinerOf(pairs()), std::nullopt);
}

TEST(Combiner, WhatASumStartsFromChangesNothing) {
  auto real = [](Function function, ScalarType type) {
    return std::get<ir::Literal>(neutral(function, type)->node).number.asFloat;
  };
  EXPECT_EQ(real(Function::Add, ScalarType::F32), 0.0);
  EXPECT_TRUE(std::signbit(real(Function::Add, ScalarType::F32)));  // 0 + -0 is 0, -0 + -0 is -0
  EXPECT_EQ(real(Function::Mul, ScalarType::F64), 1.0);
  EXPECT_EQ(real(Function::Max, ScalarType::F32), -INFINITY);
  EXPECT_EQ(real(Function::Min, ScalarType::F32), INFINITY);
  auto whole = [](Function function, ScalarType type) {
    return ir::signedValue(type, std::get<ir::Literal>(neutral(function, type)->node).number);
  };
  EXPECT_EQ(whole(Function::Add, ScalarType::I32), 0);
  EXPECT_EQ(whole(Function::Mul, ScalarType::I32), 1);
  EXPECT_EQ(whole(Function::Max, ScalarType::I8), -128);
  EXPECT_EQ(whole(Function::Min, ScalarType::I8), 127);
  EXPECT_EQ(whole(Function::Max, ScalarType::U8), 0);
}

TEST(Combiner, PartsBecomeOneByTheFunction) {
  const auto parts = partsOf(opOf("max(c, mul(a, b))"));
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->results.size(), 1U);
  const auto& call = std::get<ir::Call>(parts->results[0]->node);
  EXPECT_EQ(call.function, Function::Max);
  EXPECT_EQ(std::get<ir::OperandRef>(call.args[0]->node).operand, 0U);
  EXPECT_EQ(std::get<ir::OperandRef>(call.args[1]->node).operand, 1U);
  EXPECT_EQ(std::get<ir::Literal>(parts->neutral[0]->node).number.asFloat, -INFINITY);
  EXPECT_FALSE(partsOf(opOf("sub(c, a)")));
}

TEST(Combiner, PartsBecomeOneByTheOpsOwn) {
  const ir::StructuredOp op = pairs();
  const auto parts = partsOf(op);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->results.size(), 2U);
  EXPECT_TRUE(ir::equal(parts->results[1], op.combiner->results[1]));
  EXPECT_TRUE(ir::equal(parts->neutral[1], op.combiner->neutral[1]));
}

TEST(Combiner, SeveralSumsBecomeOneEachByItsFunction) {
  auto of = [](const std::string& results) {
    const std::string kernel =
        "kernel @f(%X: tensor<N x f32>) -> (%s: tensor<f32>, %t: tensor<f32>) level tensors { "
        "op (n: reduction) ins(%X[n]) outs(%s[], %t[]) { (x, s, t) -> " +
        results + " } }";
    return std::get<ir::StructuredOp>(ir::test::goodKernel(kernel).body[0].node);
  };
  const ir::StructuredOp sums = of("add(s, x), max(mul(x, x), t)");
  auto combiner = partsOf(sums);
  ASSERT_TRUE(combiner);
  ASSERT_EQ(combiner->results.size(), 2U);
  EXPECT_EQ(std::get<ir::Call>(combiner->results[0]->node).function, Function::Add);
  EXPECT_EQ(std::get<ir::Call>(combiner->results[1]->node).function, Function::Max);
  EXPECT_FALSE(combinerOf(sums));  // it is no single function
  EXPECT_EQ(combinersOf(sums), (std::vector{Function::Add, Function::Max}));
  EXPECT_FALSE(combinersOf(pairs()));
  EXPECT_TRUE(mayReorder(sums, /*keepsOrder=*/false));
  EXPECT_FALSE(mayReorder(sums, /*keepsOrder=*/true));
  EXPECT_TRUE(mayReorder(of("min(s, x), max(x, t)"), /*keepsOrder=*/true));
  EXPECT_FALSE(partsOf(of("add(s, x), add(t, s)")));  // of what is not there in a part
  EXPECT_FALSE(partsOf(of("add(s, x), sub(t, x)")));
}

// Operands of an op count inputs first: 0 and 1 are the second part, 2 and 3 the first.
TEST(Combiner, OutputsAreTheFirstPart) {
  const ir::Combiner difference = {
      {ir::makeCall(Function::Sub, {ir::makeValue(ScalarType::F32, ir::OperandRef{0}),
                                    ir::makeValue(ScalarType::F32, ir::OperandRef{2})}),
       ir::makeCall(Function::Sub, {ir::makeValue(ScalarType::I64, ir::OperandRef{3}),
                                    ir::makeValue(ScalarType::I64, ir::OperandRef{1})})},
      {}};
  const std::vector<ir::ValueRef> results = inputsIntoOutputs(difference);
  auto operandOf = [&](size_t result, size_t arg) {
    const auto& call = std::get<ir::Call>(results[result]->node);
    return std::get<ir::OperandRef>(call.args[arg]->node).operand;
  };
  EXPECT_EQ(operandOf(0, 0), 2U);
  EXPECT_EQ(operandOf(0, 1), 0U);
  EXPECT_EQ(operandOf(1, 0), 1U);
  EXPECT_EQ(operandOf(1, 1), 3U);
}

TEST(Combiner, WhatRoundsIsNotExact) {
  EXPECT_FALSE(isExact(opOf("add(c, a)")));
  EXPECT_FALSE(isExact(opOf("mul(c, a)", "f64")));
  EXPECT_TRUE(isExact(opOf("add(c, a)", "i32")));
  EXPECT_TRUE(isExact(opOf("max(c, mul(a, b))")));  // terms are the same in any order
  EXPECT_FALSE(isExact(opOf("sub(c, a)", "i32")));  // has no combiner
  EXPECT_TRUE(isExact(pairs()));
  ir::StructuredOp sums = pairs();
  auto rounds = std::make_shared<ir::Combiner>(*sums.combiner);
  rounds->results[0] =
      ir::makeCall(Function::Add, {ir::makeValue(ScalarType::F32, ir::OperandRef{0}),
                                   ir::makeValue(ScalarType::F32, ir::OperandRef{2})});
  sums.combiner = rounds;
  EXPECT_FALSE(isExact(sums));
}

TEST(Combiner, AnOrderIsKeptWhereItIsAskedForAndMatters) {
  EXPECT_TRUE(mayReorder(opOf("add(c, a)"), /*keepsOrder=*/false));
  EXPECT_FALSE(mayReorder(opOf("add(c, a)"), /*keepsOrder=*/true));
  EXPECT_TRUE(mayReorder(opOf("add(c, a)", "i32"), /*keepsOrder=*/true));
  EXPECT_TRUE(mayReorder(opOf("min(c, a)"), /*keepsOrder=*/true));
  EXPECT_TRUE(mayReorder(pairs(), /*keepsOrder=*/true));
  EXPECT_FALSE(mayReorder(opOf("div(c, a)"), /*keepsOrder=*/false));
}

TEST(Combiner, DifferencesAsSums) {
  auto sum = [](const std::string& payload, const std::string& type = "f32") {
    return payloadOf(asSum(opOf(payload, type)), type);
  };
  EXPECT_EQ(sum("sub(c, a)"), "add(c, neg(a))");
  EXPECT_EQ(sum("sub(c, mul(a, b))"), "add(c, mul(neg(a), b))");
  EXPECT_EQ(sum("sub(c, mul(mul(a, b), b))", "i32"), "add(c, mul(mul(neg(a), b), b))");
  EXPECT_EQ(sum("sub(c, sqrt(a))"), "add(c, neg(sqrt(a)))");
  // Nothing else: without a sign, another old value, other functions.
  EXPECT_EQ(sum("sub(c, a)", "u32"), "sub(c, a)");
  EXPECT_EQ(sum("sub(a, c)"), "sub(a, c)");
  EXPECT_EQ(sum("sub(neg(c), a)"), "sub(neg(c), a)");
  EXPECT_EQ(sum("add(c, a)"), "add(c, a)");
}

}  // namespace
}  // namespace einc::transforms
