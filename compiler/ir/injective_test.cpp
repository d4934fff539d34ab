// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/injective.h"

#include "compiler/ir/test_text.h"

namespace einc::ir {
namespace {

// Of the output %O[map], with h < H, b < 2, c < 3 and a reduction k.
bool injective(const std::string& map) {
  std::string sizes;
  for (auto c : map) sizes += c == ',' ? " x Z" : "";
  Kernel kernel = test::parsedKernel(
      "kernel @f(s: i64, %H: tensor<H x 2 x 3 x K x f32>) -> (%O: tensor<Z" + sizes +
      " x f32>) level tensors {"
      " op (h: parallel, b: parallel, c: parallel, k: reduction) ins(%H[h, b, c, k]) outs(%O[" +
      map + "]) { (x, o) -> x } }");
  return isInjective(kernel, std::get<StructuredOp>(kernel.body[0].node), 1);
}

TEST(Injective, OneIteratorADimension) {
  EXPECT_TRUE(injective("h, b, c"));
  EXPECT_TRUE(injective("c, h * 2 + 1, 7, -b"));
  EXPECT_FALSE(injective("h, b"));
  EXPECT_FALSE(injective("h, b, c * 0"));
  EXPECT_FALSE(injective("h * s, b, c"));
}

TEST(Injective, MixedRadix) {
  EXPECT_TRUE(injective("6 * h + 3 * b + c"));
  EXPECT_TRUE(injective("b + 2 * c - 6 * h"));
  EXPECT_FALSE(injective("5 * h + 3 * b + c"));
  EXPECT_FALSE(injective("6 * h + 2 * b + c"));
  EXPECT_FALSE(injective("h + b + c"));
  EXPECT_FALSE(injective("h + 9 * b, c"));  // h has no constant extent
}

TEST(Injective, ADimensionMayFixWhatAnotherNeeds) {
  EXPECT_TRUE(injective("h + b, b, c"));
  EXPECT_TRUE(injective("h + b, b + c, c"));
  EXPECT_TRUE(injective("h + b, h - b, c"));
  EXPECT_FALSE(injective("h + b, 2 * h + 2 * b, c"));
}

TEST(Injective, Divisions) {
  EXPECT_FALSE(injective("h floordiv 2, b, c"));
  EXPECT_TRUE(injective("h floordiv 2, h mod 2, b, c"));
}

TEST(Injective, ExtentsNeedNotBeAffine) {
  Kernel kernel = test::parsedKernel(
      "kernel @f(%A: tensor<(M * N) x f32>, %B: tensor<M x N x f32>) -> (%O: tensor<(M * N) x f32>)"
      " level tensors { op (i: parallel) ins(%A[i]) outs(%O[i]) { (a, o) -> a } }");
  EXPECT_TRUE(isInjective(kernel, std::get<StructuredOp>(kernel.body[0].node), 1));
}

TEST(Injective, NamesIterationsThatMeet) {
  Kernel kernel = test::parsedKernel(
      "kernel @f(%A: tensor<4 x 4 x f32>) -> (%O: tensor<7 x f32>)"
      " level tensors { op (i: parallel, j: parallel) ins(%A[i, j]) outs(%O[i + j]) { (a, o) -> a "
      "} }");
  std::string pair = meetingIterations(kernel, std::get<StructuredOp>(kernel.body[0].node), 1);
  EXPECT_NE(pair.find("i = "), std::string::npos) << pair;
  EXPECT_NE(pair.find("j' = "), std::string::npos) << pair;
}

}  // namespace
}  // namespace einc::ir
