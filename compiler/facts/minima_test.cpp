// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/minima.h"

#include <gtest/gtest.h>

#include "compiler/ir/test_text.h"

namespace einc::facts {
namespace {

using affine::Expr;

Expr number(int64_t n) { return Expr::constant(n); }
Expr size(const char* name) { return Expr::symbol(name); }

const ir::Kernel& kernel() {
  static const ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level tensors {"
      " op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> a } }");
  return kernel;
}

// kc = min(k, 512), rows = min(m, 4096 floordiv kc)
Minima blocks() {
  Minima minima;
  minima.enter(size("kc"), {size("k"), number(512)}, /*isPositive=*/false);
  minima.enter(size("rows"), {size("m"), number(4096).floorDiv(size("kc"))}, false);
  return minima;
}

TEST(Minima, TheLeastIsAtMostEach) {
  const Minima minima = blocks();
  EXPECT_EQ(minima.mostOf(size("kc")), 512);
  EXPECT_EQ(minima.mostOf(size("rows")), 4096);
  EXPECT_EQ(minima.mostOfProduct({size("rows"), size("kc")}), 4096);  // not 512 * 4096
  EXPECT_EQ(minima.mostOfProduct({size("kc"), size("kc")}), 512 * 512);
  EXPECT_EQ(minima.mostOf(size("k")), std::nullopt);
  EXPECT_EQ(minima.mostOfProduct({size("kc"), size("k")}), std::nullopt);
}

TEST(Minima, WhatIsRoundedUpIsOneUnitMoreAtMost) {
  Minima minima = blocks();
  minima.enter(size("nc"), {number(1000).ceilDiv(size("kc") * number(48)) * number(48)}, false);
  EXPECT_EQ(minima.mostOfProduct({size("nc"), size("kc")}), 1000 + 48 * 512);
}

TEST(Minima, FactorsOfAProductByItsName) {
  Minima minima = blocks();
  minima.enter(size("kk"), {size("rows") * size("kc")}, false);
  EXPECT_EQ(minima.mostOf(size("kk")), 4096);
}

TEST(Minima, PositiveWhereAllAre) {
  Minima minima = blocks();
  const Signs signs(kernel());
  const Expr extent = size("m");
  EXPECT_FALSE(minima.isPositive(signs, size("kc"), extent));  // k may be 0
  EXPECT_TRUE(minima.isPositive(signs, size("kc"), size("k")));
  minima.assumePositive(size("k"));
  EXPECT_TRUE(minima.isPositive(signs, size("kc"), extent));
  EXPECT_TRUE(minima.isPositive(signs, size("rows"), extent));  // 512 <= 4096
  EXPECT_FALSE(minima.isPositive(signs, number(256).floorDiv(size("kc")), extent));
  EXPECT_TRUE(minima.isPositive(signs, number(5).ceilDiv(size("kc")), extent));
  EXPECT_TRUE(minima.isPositive(signs, size("n") + number(1), extent));
  EXPECT_FALSE(minima.isPositive(signs, size("n"), extent));
  EXPECT_TRUE(minima.isPositive(signs, size("n"), number(0)));  // there are no positions
  minima.enter(size("one"), {size("n")}, /*isPositive=*/true);
  EXPECT_TRUE(minima.isPositive(signs, size("one"), extent));
}

TEST(Minima, PartsOfWhatIsLargeEnoughArePositive) {
  const Signs signs(kernel());
  Minima minima;
  const Expr none = number(1), count = size("count"), width = size("width");
  minima.enter(count, {number(64), size("n").floorDiv(number(256))}, false);
  minima.enter(width, {size("n").floorDiv(count)}, false);
  EXPECT_FALSE(minima.isPositive(signs, width, none));
  minima.assumeAtLeast(size("n"), 255);
  EXPECT_FALSE(minima.isPositive(signs, width, none));
  minima.assumeAtLeast(size("n"), 256);
  EXPECT_TRUE(minima.isPositive(signs, count, none));
  EXPECT_TRUE(minima.isPositive(signs, width, none));
  EXPECT_FALSE(minima.isPositive(signs, size("k").floorDiv(count), none));
}

TEST(Minima, WhatIsRoundedUpIsAtMostWhatItIsOf) {
  Minima minima;
  minima.enter(size("c_step"), {size("c"), number(4096)}, false);
  minima.enter(size("q_step"), {size("q"), number(4096).floorDiv(size("c_step"))}, false);
  minima.enter(size("words"), {size("q_step") * size("c_step").ceilDiv(number(4))}, false);
  EXPECT_EQ(minima.mostOf(size("words")), 4096);
  EXPECT_EQ(minima.mostOfProduct({size("q_step"), size("c_step").ceilDiv(number(4))}), 4096);
  EXPECT_EQ(minima.mostOf(size("c").ceilDiv(number(4))), std::nullopt);
  minima.enter(size("below"), {-size("c_step").floorDiv(number(4))}, false);
  EXPECT_EQ(minima.mostOf(size("below")), std::nullopt);
}

TEST(Minima, TilesThatHoldAllOrStandInTilesOfOne) {
  Minima minima;
  minima.enter(size("by"), {size("k"), number(512)}, false);
  minima.enter(size("outer"), {size("j"), number(512).floorDiv(size("by"))}, false);
  minima.enter(size("half"), {size("j"), number(256).floorDiv(size("by"))}, false);
  EXPECT_TRUE(minima.isAllOrOuterOne(size("outer"), size("by"), size("k")));
  EXPECT_FALSE(minima.isAllOrOuterOne(size("half"), size("by"), size("k")));
  EXPECT_FALSE(minima.isAllOrOuterOne(size("j"), size("by"), size("k")));
  EXPECT_TRUE(minima.isAllOrOuterOne(number(1), size("by"), size("k")));
  EXPECT_TRUE(minima.isAllOrOuterOne(size("j"), size("k"), size("k")));
}

}  // namespace
}  // namespace einc::facts
