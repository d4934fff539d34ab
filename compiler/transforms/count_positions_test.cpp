// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/count_positions.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

// What the payload and the position's neutral element make of its position.
bool isCounted(const std::string& value, const std::string& position,
               const std::string& neutral = "9223372036854775807_i64") {
  ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f(%X: tensor<N x f32>) -> (%v: tensor<f32>, %p: tensor<i64>) level tiled { op (n: "
      "reduction) ins(%X[n]) outs(%v[], %p[]) { (x, v, p) -> " +
      value + ", " + position +
      " } combine { (v, p, w, q) -> select(gt(w, v), w, v), select(gt(w, v), q, p) } neutral "
      "(-inf_f32, " +
      neutral + ") }");
  const auto& op = std::get<ir::StructuredOp>(kernel.body[0].node);
  return risingPositions(Builder(kernel), op, "n") == std::vector<size_t>{1};
}

const std::string kTaken = "select(or(gt(x, v), and(eq(x, v), lt(index(n), p))), ";

TEST(CountPositions, WhatIsMovedAndCompared) {
  EXPECT_TRUE(isCounted(kTaken + "x, v)", kTaken + "index(n), p)"));
  EXPECT_TRUE(isCounted("select(gt(x, v), x, v)", "select(gt(x, v), index(n), p)"));
  EXPECT_TRUE(isCounted("select(gt(x, v), x, v)", "select(ge(v, x), p, index(2 * n + 5))"));
  EXPECT_TRUE(isCounted("select(gt(x, v), x, v)", "select(gt(x, v), add(index(n), index(N)), p)"));
  EXPECT_TRUE(isCounted(kTaken + "x, v)", kTaken + "index(n), p)", "-9223372036854775808_i64"));
}

TEST(CountPositions, WhatIsNot) {
  // Neither in front of all nor behind.
  EXPECT_FALSE(isCounted(kTaken + "x, v)", kTaken + "index(n), p)", "5_i64"));
  // It does not ascend, or is computed with, or another one is compared.
  EXPECT_FALSE(isCounted("select(gt(x, v), x, v)", "select(gt(x, v), index(N - n), p)"));
  EXPECT_FALSE(isCounted("select(gt(x, v), x, v)", "select(gt(x, v), index(n floordiv 2), p)"));
  EXPECT_FALSE(isCounted("select(gt(x, v), x, v)", "select(gt(x, v), index(n), add(p, 1_i64))"));
  EXPECT_FALSE(isCounted("select(gt(x, v), x, v)", "max(p, index(n))"));
  EXPECT_FALSE(isCounted("select(gt(x, cast<f32>(p)), x, v)", "select(gt(x, v), index(n), p)"));
  EXPECT_FALSE(isCounted("select(eq(index(n), p), x, v)", "select(gt(x, v), index(n), p)"));
  EXPECT_FALSE(isCounted("select(lt(index(n + 1), p), x, v)", "select(gt(x, v), index(n), p)"));
}

}  // namespace
}  // namespace einc::transforms
