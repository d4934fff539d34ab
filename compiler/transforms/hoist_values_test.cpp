// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/hoist_values.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

std::string hoisted(const std::string& body) {
  ir::Kernel kernel =
      hoistValues(ir::test::goodKernel("kernel @f(%X: tensor<M x N x f32>, %S: tensor<M x f32>, e: "
                                       "f32) -> (%Y: tensor<M x N x f32>, "
                                       "%Z: tensor<M x f32>) level hardware { " +
                                       body + " }"));
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return ir::print(kernel);
}

using ir::test::count;

// Y must be written; Z as well.
const char* const kRest = " for m = 0 .. M parallel { %Z[m] = 0.0_f32 }";

std::string rows(const std::string& value, const std::string& more = "") {
  return hoisted("for m = 0 .. M parallel { for n = 0 .. N parallel { %Y[m, n] = " + value + " " +
                 more + " } }" + (more.empty() ? kRest : ""));
}

TEST(HoistValues, WhatIsTheSameInEachRoundIsComputedOnce) {
  std::string text = rows("mul(%X[m, n], rsqrt(add(%S[m], e)))");
  EXPECT_EQ(count(text, "let kept: f32 = rsqrt(add(%S[m] pad 0.0_f32, e))"), 1u) << text;
  EXPECT_EQ(count(text, "%Y[m, n] = mul(%X[m, n], kept)"), 1u) << text;
  EXPECT_LT(text.find("for m"), text.find("let kept")) << text;
  EXPECT_LT(text.find("let kept"), text.find("for n")) << text;
}

// A loop may have no rounds, and then a tensor be shorter than a view of it says.
TEST(HoistValues, OfAViewWhatIsInItsTensor) {
  const std::string text = hoisted(
      "view %V: tensor<M x f32> = (m) -> %S[m * 2 + 1] "
      "for m = 0 .. M parallel { for n = 0 .. N parallel { %Y[m, n] = mul(%X[m, n], sqrt(%V[m])) } "
      "}" +
      std::string(kRest));
  EXPECT_EQ(count(text, "let kept: f32 = sqrt(%S[m * 2 + 1] pad 0.0_f32)"), 1u) << text;
}

TEST(HoistValues, OutOfAllLoopsThatItDoesNotDependOn) {
  std::string text = rows("mul(%X[m, n], exp(e))");
  EXPECT_LT(text.find("let kept"), text.find("for m")) << text;
}

TEST(HoistValues, OnceForEqualOnes) {
  std::string text = rows("add(mul(%X[m, n], sqrt(%S[m])), sqrt(%S[m]))");
  EXPECT_EQ(count(text, "sqrt("), 1u) << text;
}

// What a region reads into a scalar stands for itself, on both ways of a tile.
TEST(HoistValues, OutOfRegionsOfTiles) {
  const std::string region =
      "vector (n: 8) { let s: f32 = %S[m] let x: f32 over (n) = %X_n0[m, n] pad 0.0_f32 "
      "%Y_n0[m, n] clip = mul(x, rsqrt(s)) }";
  const std::string text = hoisted(
      "for m = 0 .. M parallel { tile n0 : n0_size = 0 .. N by 8 parallel { "
      "view %X_n0: tensor<M x n0_size x f32> = (m, n) -> %X[m, n0 + n] "
      "view %Y_n0: tensor<M x n0_size x f32> = (m, n) -> %Y[m, n0 + n] "
      "if n0_size == 8 { " +
      region + " } else { " + region + " } } }" + kRest);
  EXPECT_EQ(count(text, "let kept: f32 = rsqrt(%S[m] pad 0.0_f32)"), 1u) << text;
  EXPECT_EQ(count(text, "= mul(x, kept)"), 2u) << text;
  EXPECT_EQ(count(text, "let s: f32"), 0u) << text;
  EXPECT_LT(text.find("let kept"), text.find("tile n0")) << text;
}

// A loop around a region becomes one in it, behind what is the same for its lanes in each round.
TEST(HoistValues, VectorsOutOfALoopAroundTheirRegion) {
  auto columns = [](const std::string& value, const std::string& more = "") {
    return hoisted(
        "tile m0 : m0_size = 0 .. M by 8 parallel { "
        "view %S_m0: tensor<m0_size x f32> = (m) -> %S[m0 + m] "
        "view %X_m0: tensor<m0_size x N x f32> = (m, n) -> %X[m0 + m, n] "
        "view %Y_m0: tensor<m0_size x N x f32> = (m, n) -> %Y[m0 + m, n] "
        "for n = 0 .. N parallel { vector (m: 8) { "
        "let s: f32 over (m) = %S_m0[m] pad 0.0_f32 unit m "
        "let x: f32 over (m) = %X_m0[m, n] pad 0.0_f32 "
        "%Y_m0[m, n] clip = " +
        value + " } " + more + " } }" + kRest);
  };
  std::string text = columns("mul(x, rsqrt(add(s, e)))");
  EXPECT_EQ(count(text, "let kept: f32 over (m) = rsqrt(add(%S_m0[m] pad 0.0_f32 unit m, e))"), 1u)
      << text;
  EXPECT_EQ(count(text, "= mul(x, kept)"), 1u) << text;
  EXPECT_EQ(count(text, "let s:"), 0u) << text;
  EXPECT_LT(text.find("if 0 < N"), text.find("vector (m: 8)"))
      << text;  // else nothing need be there
  EXPECT_LT(text.find("vector (m: 8)"), text.find("let kept")) << text;
  EXPECT_LT(text.find("let kept"), text.find("for n")) << text;
  // What is quick, or changes, and loops around more than a region, stay.
  for (const std::string& same : {columns("mul(x, add(s, e))"), columns("mul(s, rsqrt(x))"),
                                  columns("mul(x, rsqrt(s))", "%Z[n] = 1.0_f32")}) {
    EXPECT_EQ(count(same, "kept"), 0u) << same;
    EXPECT_LT(same.find("for n"), same.find("vector (m: 8)")) << same;
  }
}

TEST(HoistValues, WhatIsQuickStays) {
  std::string text = rows("mul(%X[m, n], add(%S[m], e))");
  EXPECT_EQ(count(text, "kept"), 0u) << text;
}

TEST(HoistValues, WhatChangesInTheLoopStays) {
  EXPECT_EQ(count(rows("sqrt(%X[m, n])"), "kept"), 0u);
  // The loop writes what is read, itself and by a view.
  EXPECT_EQ(count(rows("mul(%X[m, n], sqrt(%Z[m]))", "%Z[m] = 1.0_f32"), "kept"), 0u);
  std::string view = hoisted(
      "for m = 0 .. M parallel { view %V: tensor<M x f32> = (i) -> %Z[i] "
      "for n = 0 .. N parallel { %Y[m, n] = sqrt(%V[m]) %Z[m] = 1.0_f32 } }");
  EXPECT_EQ(count(view, "kept"), 0u) << view;
}

TEST(HoistValues, WhatIsUnderAConditionStays) {
  std::string text = hoisted(
      "for m = 0 .. M parallel { for n = 0 .. N parallel { if M == N { %Y[m, n] = sqrt(%S[m]) } "
      "else { %Y[m, n] = 0.0_f32 } } }" +
      std::string(kRest));
  EXPECT_EQ(count(text, "kept"), 0u) << text;
}

// Though a loop elsewhere has a variable of an axis's name.
TEST(HoistValues, NamesOfOtherRegions) {
  std::string text = hoisted(
      "vector (m: 16) { %Z[m] unit m = 0.0_f32 } "
      "for m = 0 .. M parallel { for n = 0 .. N parallel { %Y[m, n] = sqrt(%S[m]) } }");
  EXPECT_EQ(count(text, "let kept"), 1u) << text;
}

TEST(HoistValues, PositionsOfAVectorAreNoScalars) {
  std::string text = hoisted(
      "for m = 0 .. M parallel { for n = 0 .. N floordiv 16 parallel { vector (l: 16) { "
      "%Y[m, n * 16 + l] unit l = sqrt(%X[m, l] unit l) } } }" +
      std::string(kRest));
  EXPECT_EQ(count(text, "let kept: f32 over (l) ="), 1u) << text;
  EXPECT_EQ(count(text, "let kept"), 1u) << text;
}

}  // namespace
}  // namespace einc::transforms
