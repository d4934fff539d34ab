// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/signs.h"

#include <gtest/gtest.h>

#include "compiler/ir/test_text.h"

namespace einc::facts {
namespace {

using affine::Expr;

Expr constant(int64_t n) { return Expr::constant(n); }
Expr symbol(const std::string& name) { return Expr::symbol(name); }

class SignsTest : public testing::Test {
 protected:
  // A scalar has no bracket in its name, an element of an attribute has one.
  ir::Kernel kernel_ = ir::test::goodKernel(
      "kernel @f(%A: tensor<N x f32>, s: i64, b: u8, w: u64) -> (%C: tensor<N x f32>)"
      " attr pads: 2xi64 level tensors {"
      " op (n: parallel) ins(%A[n]) outs(%C[n]) { (a, c) -> a } }");
  Signs signs_{kernel_};
};

TEST_F(SignsTest, WhatNamesStandFor) {
  EXPECT_EQ(signs_.of(Expr()), Sign::NotNegative);
  EXPECT_EQ(signs_.of(constant(-1)), Sign::NotPositive);
  EXPECT_EQ(signs_.of(Expr::iterator("n")), Sign::NotNegative);
  EXPECT_EQ(signs_.of(symbol("N")), Sign::NotNegative);
  EXPECT_EQ(signs_.of(symbol("s")), Sign::Unknown);
  EXPECT_EQ(signs_.of(symbol("pads[1]")), Sign::Unknown);
  EXPECT_EQ(signs_.of(symbol("b")), Sign::NotNegative);
  EXPECT_EQ(signs_.of(symbol("w")), Sign::Unknown);  // as an i64 it may be negative
}

TEST_F(SignsTest, SumsAndProducts) {
  Expr n = Expr::iterator("n"), size = symbol("N"), s = symbol("s");
  EXPECT_EQ(signs_.of(n + size), Sign::NotNegative);
  EXPECT_EQ(signs_.of(n + s), Sign::Unknown);
  EXPECT_EQ(signs_.of(n - size), Sign::Unknown);
  EXPECT_EQ(signs_.of(-n - size), Sign::NotPositive);
  EXPECT_EQ(signs_.of(constant(-2) * n * size), Sign::NotPositive);
  EXPECT_EQ(signs_.of(n * s), Sign::Unknown);
}

TEST_F(SignsTest, QuotientsAndRemainders) {
  Expr n = Expr::iterator("n"), s = symbol("s"), three = constant(3);
  EXPECT_EQ(signs_.of(n.floorDiv(three)), Sign::NotNegative);
  EXPECT_EQ(signs_.of(n.ceilDiv(three)), Sign::NotNegative);
  EXPECT_EQ(signs_.of(n.floorDiv(constant(-3))), Sign::NotPositive);
  EXPECT_EQ(signs_.of(s.mod(three)), Sign::NotNegative);
  EXPECT_EQ(signs_.of(s.mod(constant(-3))), Sign::NotPositive);
  EXPECT_EQ(signs_.of(n.mod(s)), Sign::Unknown);
  EXPECT_EQ(signs_.of(n.floorDiv(s)), Sign::Unknown);
}

TEST_F(SignsTest, BoundsAreTheLeastOfTheirs) {
  Expr size = symbol("N"), s = symbol("s");
  signs_.enter(ir::Bound{"both", {size, constant(4)}});
  signs_.enter(ir::Bound{"below", {constant(0), s}});
  signs_.enter(ir::Bound{"any", {size, s}});
  EXPECT_EQ(signs_.of(symbol("both")), Sign::NotNegative);
  EXPECT_EQ(signs_.of(symbol("below")), Sign::NotPositive);
  EXPECT_EQ(signs_.of(-symbol("below")), Sign::NotNegative);
  EXPECT_EQ(signs_.of(symbol("any")), Sign::Unknown);
}

}  // namespace
}  // namespace einc::facts
