// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/transfers.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

// A region on 8 x 16 positions; the transfers point into it.
struct Region {
  explicit Region(const std::string& body)
      : kernel(ir::test::goodKernel(
            "kernel @f(%A: tensor<8 x 16 x f32>, %B: tensor<16 x 8 x f32>, %X: tensor<16 x f32>, "
            "%D: tensor<16 x f64>) -> (%C: tensor<8 x 16 x f32>, %E: tensor<16 x 8 x f32>, %S: "
            "tensor<8 x f32>) level vector { vector (m: 8, n: 16) {" +
            body + "} for i = 0 .. 8 parallel { %S[i] = 0.0_f32 for j = 0 .. 16 parallel { " +
            "%C[i, j] = 0.0_f32 %E[j, i] = 0.0_f32 } } }")),
        transfers(std::get<ir::Vector>(kernel.body[0].node)) {}
  ir::Kernel kernel;
  Transfers transfers;
};
std::string axisOf(const std::string& body) { return Region(body).transfers.lanesAxis(); }

const char* const kRow = "let a: f32 over (m, n) = %A[m, n] unit n ";
const char* const kColumn = "let b: f32 over (m, n) = %B[n, m] unit m ";

TEST(Transfers, WhatIsUnitIsListed) {
  Region region(std::string(kRow) +
                "let x: f32 over (n) = %X[n] "  // not known to be neighbours
                "for k = 0 .. 2 reduction { a = add(a, %B[n, m] unit m) } "
                "%C[m, n] unit n = a");
  const std::vector<Transfer>& all = region.transfers.all;
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].unit, "n");
  EXPECT_FALSE(all[0].isStore);
  EXPECT_EQ(all[1].unit, "m");
  EXPECT_FALSE(all[1].isStore);
  EXPECT_EQ(all[2].unit, "n");
  EXPECT_TRUE(all[2].isStore);
  // Where lanes lie along the other axis, and the element moves with it.
  EXPECT_TRUE(all[0].isTransposed("m"));
  EXPECT_FALSE(all[0].isTransposed("n"));
  EXPECT_FALSE(all[0].isTransposed("k"));
}

TEST(Transfers, LanesLieAlongTheAxisOfTheLoads) {
  EXPECT_EQ(axisOf(std::string(kRow) + "%C[m, n] unit n = a"), "n");
  EXPECT_EQ(axisOf(std::string(kColumn) + "%E[n, m] unit m = b"), "m");
  // As many along each: that with fewer transposes.
  const std::string row = "let x: f32 over (n) = %X[n] unit n ";
  EXPECT_EQ(axisOf(row + kColumn + "%E[n, m] unit m = add(x, b)"), "m");
}

TEST(Transfers, OrOfTheStoresWhereNoneIsRead) {
  EXPECT_EQ(axisOf("%E[n, m] unit m = 1.0_f32"), "m");
  EXPECT_EQ(axisOf("%C[m, n] unit n = 1.0_f32"), "n");
  EXPECT_EQ(axisOf("%C[m, n] = 1.0_f32"), "");
}

TEST(Transfers, OrWhereFewerAreTransposes) {
  // Two loads along n, which are both squares that stores turn, and so are the loads along m.
  const std::string body = "let x: f32 over (n) = %X[n] unit n let y: f32 over (n) = %X[n] unit n ";
  EXPECT_EQ(axisOf(body + kColumn + "%E[n, m] unit m = add(add(x, y), b)"), "m");
  EXPECT_EQ(axisOf(body + "%C[m, n] unit n = add(x, y)"), "n");
}

// Lanes are what is reduced, whatever is stored.
TEST(Transfers, SumsHaveTheirLanesAlongTheLoads) {
  const std::string sums =
      std::string(kRow) + "let x: f32 over (m, n) = add(a, a) %S[m] unit m = reduce add over n (x)";
  Region region(sums);
  EXPECT_TRUE(region.transfers.reduces());
  EXPECT_EQ(region.transfers.lanesAxis(), "n");
  EXPECT_FALSE(Region(kRow).transfers.reduces());
  // Or of most elements: few of them are along n.
  EXPECT_EQ(
      axisOf("let x: f32 over (n) = %X[n] unit n let y: f32 over (n) = %X[n] unit n " +
             std::string(kColumn) +
             "let s: f32 over (m, n) = add(add(x, y), b) %S[m] unit m = reduce add over n (s)"),
      "m");
}

// Nor where results lie, which are loaded as well: along m it would be a gather for each n.
TEST(Transfers, NorAreLanesAlongTheResults) {
  EXPECT_EQ(
      axisOf(std::string(kRow) + "%S[m] unit m = add(%S[m] unit m, reduce add over n (mul(a, a)))"),
      "n");
}

// Nor where several small operands do.
TEST(Transfers, NorAreLanesAlongTheFewest) {
  EXPECT_EQ(axisOf(std::string(kRow) +
                   "let h: f32 over (m) = %S[m] unit m let x: f32 over (m, n) = exp(sub(a, h)) "
                   "%S[m] unit m = add(%S[m] unit m, reduce add over n (x))"),
            "n");
}

TEST(Transfers, TheWidestTypeInRegisters) {
  EXPECT_EQ(Region(kRow).transfers.bytes, 4);
  EXPECT_EQ(Region("let d: f64 over (n) = %D[n] unit n").transfers.bytes, 8);
  // Two halves are in two registers.
  auto joined = [](const std::string& by) {
    return Region(
               "let x: i32 over (n) = cast<i32>(%X[n]) let w: i64 over (n) = "
               "or(cast<i64>(cast<u32>(x)), shl(cast<i64>(x), " +
               by + "_i64))")
        .transfers.bytes;
  };
  EXPECT_EQ(joined("32"), 4);
  EXPECT_EQ(joined("31"), 8);
  EXPECT_EQ(Region("%C[m, n] = cast<f32>(%D[n] unit n)").transfers.bytes, 8);
}

}  // namespace
}  // namespace einc::transforms
