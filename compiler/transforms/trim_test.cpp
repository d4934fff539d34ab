// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/trim.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::has;

// An op with one input and one output, trimmed; it computes what it did.
std::string trimmed(const std::string& iterators, const std::string& output,
                    const std::string& payload, const std::string& behind = "") {
  const std::string text = "kernel @f(%A: tensor<M x N x f32>) -> (%C: tensor<" + output +
                           " x f32>) level @ { op (" + iterators + ") ins(%A[m, n]) outs(%C[" +
                           (output == "M" ? "m" : "m, n") + "]) { (a, c) -> " + payload + " } " +
                           behind + " }";
  const std::string whole = behind.empty() ? text : text.substr(0, text.find(behind)) + "}";
  const ir::Kernel kernel = trim(ir::test::goodKernel(test::at("tiled", text)));
  test::expectComputes(test::at("tensors", whole), kernel, {4, 9, 17});
  return ir::print(kernel);
}

constexpr const char* kRows = "m: parallel, n: reduction";
constexpr const char* kAll = "m: parallel, n: parallel";

TEST(Trim, WhatIsNoAxisIsCut) {
  const std::string text = trimmed(
      kRows, "M", "add(c, select(lt(index(n), index(m + 1)), a, -0.0_f32))", "vector (m: 1)");
  EXPECT_TRUE(has(text, "bound end = min(N, M)")) << text;
  EXPECT_TRUE(has(text, "bound end1 = min(N, 1)")) << text;
  EXPECT_TRUE(has(text, "add(c, a_in_n)")) << text;
}

TEST(Trim, BothEndsOfABand) {
  const std::string text = trimmed(
      kAll, "M x N",
      "select(and(lt(index(n), index(m + 3)), lt(index(m), index(n + 2))), mul(a, 2.0_f32), c)");
  EXPECT_EQ(ir::test::count(text, "select("), 2u) << text;  // in front and behind
  EXPECT_EQ(ir::test::count(text, "op ("), 3u) << text;
}

TEST(Trim, TilesOfAxesAreAllOrNothing) {
  const std::string text =
      trimmed(kAll, "M x N", "select(lt(index(n), index(m)), a, c)", "vector (m: 32, n: 32)");
  EXPECT_TRUE(has(text, "if 0 <= (M - 2) {")) << text;
  EXPECT_TRUE(has(text, "if 0 <= (-N) {")) << text;
}

TEST(Trim, ConditionsOfOneNumberNeedNoTest) {
  const std::string text = trimmed(kAll, "M x N", "select(lt(index(M), index(N)), a, c)");
  EXPECT_TRUE(has(text, "if 0 <= (N - M - 1) { op")) << text;
  EXPECT_FALSE(has(text, "select(")) << text;
}

// As accumulate makes them.
TEST(Trim, TestsOfLanesBehindTheEndStay) {
  const std::string text =
      trimmed(kAll, "M x N", "select(lt(index(n), index(N)), a, c)", "vector (m: 32, n: 32)");
  EXPECT_EQ(ir::test::count(text, "select("), 1u) << text;
  EXPECT_FALSE(has(text, "if ")) << text;
}

TEST(Trim, WhatIsNotLinearStays) {
  const std::string text =
      trimmed(kRows, "M", "add(c, select(lt(index(n floordiv 2), index(m mod 3)), a, -0.0_f32))");
  EXPECT_FALSE(has(text, "bound")) << text;
}

TEST(Trim, OfManyForms) {
  for (const char* left : {"n", "n * 2", "m + n", "m - n * 3", "m * 2 + 5", "3"})
    for (const char* right : {"m", "m + 2", "n - 3", "M - n", "N"})
      for (const char* payload : {"add(c, select(@, a, -0.0_f32))",
                                  "max(c, select(@, a, -inf_f32))", "select(@, add(a, c), c)"}) {
        std::string text = payload;
        text.replace(text.find('@'), 1,
                     std::string("lt(index(") + left + "), index(" + right + "))");
        trimmed(kRows, "M", text);
      }
}

}  // namespace
}  // namespace einc::transforms
