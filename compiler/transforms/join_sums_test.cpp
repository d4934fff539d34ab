// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/join_sums.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

// The first sum of two, and in between what `between` says; the second one begins with `start` and
// ends with `end`; its terms are `term`.
std::string joined(const std::string& between, const std::string& start, const std::string& end,
                   const std::string& term = "%Z[n] unit n") {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%X: tensor<8 x 16 x f32>, %Z: tensor<16 x f32>) -> (%Y: tensor<2 x f32>) level vector {
      vector (n: 16) {
        let y: f32 over (n) = -0.0_f32
        for b = 0 .. 8 reduction {
          let x: f32 over (n) = %X[b, n] unit n
          y = add(y, x)
        }
        %Y[0] = add(%Y[0], reduce add over n (y))
      }
      )" + between + R"(
      vector (n: 16) {
        let z: f32 over (n) = )" + start + R"(
        let w: f32 over (n) = )" + term + R"(
        z = add(z, w)
        )" + end + R"(
      }
    })");
  facts::Facts facts(kernel);
  ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
    if (auto* view = std::get_if<ir::View>(&stmt.node)) facts.enter(*view);
  });
  joinSums(kernel.body, facts);
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return ir::print(kernel);
}

size_t regions(const std::string& text) { return ir::test::count(text, "vector ("); }

TEST(JoinSums, SumsOfTheSameElementBecomeOne) {
  const std::string text = joined("view %V: tensor<16 x f32> = (n) -> %Z[n]", "-0.0_f32",
                                  "%Y[0] = add(%Y[0], reduce add over n (z))");
  EXPECT_EQ(regions(text), 1U) << text;
  EXPECT_NE(text.find("y = add(y, w)"), std::string::npos) << text;
  EXPECT_EQ(text.find("reduce add"), text.rfind("reduce add")) << text;
  EXPECT_LT(text.find("view %V"), text.find("vector (")) << text;
}

TEST(JoinSums, OthersStay) {
  const std::string sum = "%Y[0] = add(%Y[0], reduce add over n (z))";
  EXPECT_EQ(regions(joined("", "-0.0_f32", "%Y[1] = add(%Y[1], reduce add over n (z))")), 2U);
  EXPECT_EQ(regions(joined("", "-0.0_f32", "%Y[0] = reduce add over n (z)")), 2U);
  EXPECT_EQ(regions(joined("", "1.0_f32", sum)), 2U);
  const std::string view = "view %V: tensor<16 x f32> = (n) -> %Y[n floordiv 16]";
  EXPECT_EQ(regions(joined(view, "-0.0_f32", sum, "%V[n]")), 2U);
  EXPECT_EQ(regions(joined("for i = 0 .. 2 parallel { %Y[i] = 0.0_f32 }", "-0.0_f32", sum)), 2U);
}

}  // namespace
}  // namespace einc::transforms
