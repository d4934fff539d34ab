// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/simplify.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

// What a payload over i (i32), f (f32) and u (u64) becomes.
std::string simplified(const std::string& type, const std::string& value) {
  ir::Kernel kernel =
      simplify(ir::test::goodKernel("kernel @f(i: i32, f: f32, u: u64) -> (%C: tensor<M x " + type +
                                    ">) level tensors {"
                                    " op (m: parallel) outs(%C[m]) { (c) -> " +
                                    value + " } }"));
  EXPECT_TRUE(ir::verify(kernel).empty()) << value;
  const auto& op = std::get<ir::StructuredOp>(kernel.body[0].node);
  return ir::print(kernel, op.results[0], {"c"});
}

TEST(Simplify, IntegersWrap) {
  EXPECT_EQ(simplified("i8", "add(100_i8, 100_i8)"), "-56_i8");
  EXPECT_EQ(simplified("u8", "sub(1_u8, 2_u8)"), "255_u8");
  EXPECT_EQ(simplified("i64", "mul(-9223372036854775808_i64, -1_i64)"), "-9223372036854775808_i64");
  EXPECT_EQ(simplified("i8", "neg(-128_i8)"), "-128_i8");
  EXPECT_EQ(simplified("u8", "not(1_u8)"), "254_u8");
  EXPECT_EQ(simplified("i32", "xor(and(6_i32, 3_i32), or(8_i32, 1_i32))"), "11_i32");
  EXPECT_EQ(simplified("i8", "max(-1_i8, min(1_i8, 5_i8))"), "1_i8");
  EXPECT_EQ(simplified("u8", "max(255_u8, 1_u8)"), "255_u8");
  EXPECT_EQ(simplified("i64", "mul(index(3), index(4))"), "12_i64");
}

TEST(Simplify, NeutralElements) {
  EXPECT_EQ(simplified("i32", "add(mul(1_i32, i), 0_i32)"), "i");
  EXPECT_EQ(simplified("i32", "sub(add(0_i32, mul(i, 1_i32)), 0_i32)"), "i");
  EXPECT_EQ(simplified("i32", "sub(0_i32, i)"), "sub(0_i32, i)");
}

TEST(Simplify, Zeros) {
  EXPECT_EQ(simplified("i64", "mul(index(0), index(M))"), "0_i64");
  EXPECT_EQ(simplified("i64", "mul(index(M), index(0))"), "0_i64");
  EXPECT_EQ(simplified("i32", "mul(0_i32, i)"), "mul(0_i32, i)");
  EXPECT_EQ(simplified("f32", "div(f, cast<f32>(mul(index(0), index(M))))"), "div(f, 0.0_f32)");
}

TEST(Simplify, Conditions) {
  EXPECT_EQ(simplified("f32", "select(eq(2_i32, 1_i32), f, neg(f))"), "neg(f)");
  EXPECT_EQ(simplified("f32", "select(lt(-1_i32, 1_i32), f, neg(f))"), "f");
  EXPECT_EQ(simplified("f32", "select(ge(18446744073709551615_u64, 1_u64), f, neg(f))"), "f");
  EXPECT_EQ(simplified("bool", "and(not(false), ne(true, false))"), "true");
  EXPECT_EQ(simplified("bool", "xor(gt(1_i8, 2_i8), le(1_i8, 1_i8))"), "true");
}

// One that is read is left out only where that may be.
TEST(Simplify, Logic) {
  EXPECT_EQ(simplified("bool", "and(true, lt(i, 3_i32))"), "lt(i, 3_i32)");
  EXPECT_EQ(simplified("bool", "or(lt(i, 3_i32), false)"), "lt(i, 3_i32)");
  EXPECT_EQ(simplified("bool", "or(lt(index(M), 3_i64), true)"), "true");
  EXPECT_EQ(simplified("bool", "and(false, lt(i, 3_i32))"), "and(false, lt(i, 3_i32))");
  const auto no = ir::makeLiteral(ir::ScalarType::Bool, {0.0, 0});
  const auto any = ir::makeValue(ir::ScalarType::Bool, ir::Variable{"x"});
  const auto both = ir::makeCall(ir::Function::And, {any, no});
  EXPECT_TRUE(ir::equal(transforms::simplified(both, /*mayLeaveOut=*/true), no));
  EXPECT_EQ(transforms::simplified(both, /*mayLeaveOut=*/false), both);
}

TEST(Simplify, Casts) {
  EXPECT_EQ(simplified("f32", "cast<f32>(f)"), "f");
  EXPECT_EQ(simplified("i8", "cast<i8>(300_i32)"), "44_i8");
  EXPECT_EQ(simplified("u64", "cast<u64>(-1_i8)"), "18446744073709551615_u64");
  EXPECT_EQ(simplified("f16", "cast<f16>(2048_i32)"), "2048.0_f16");
  EXPECT_EQ(simplified("f64", "cast<f64>(0.5_f16)"), "0.5_f64");
  EXPECT_EQ(simplified("bool", "cast<bool>(0.5_f16)"), "true");
}

// What rounds, or could, stays.
TEST(Simplify, LeavesFloatsAlone) {
  for (const char* value : {"add(1.0_f32, 1.0_f32)", "add(f, 0.0_f32)", "mul(f, 1.0_f32)",
                            "neg(1.0_f32)", "cast<f32>(0.1_f64)", "cast<f32>(16777217_i32)",
                            "cast<f32>(18446744073709551615_u64)", "cast<f32>(nan_f64)",
                            "cast<f32>(cast<i32>(1.0_f32))", "select(lt(1.0_f32, 2.0_f32), f, f)"})
    EXPECT_EQ(simplified("f32", value), value);
}

}  // namespace
}  // namespace einc::transforms
