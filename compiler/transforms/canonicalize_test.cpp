// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/canonicalize.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

std::string canonical(const std::string& signature, const std::string& body,
                      const CanonicalizeOptions& options = {}) {
  ir::Kernel kernel =
      ir::test::goodKernel("kernel @f" + signature + " level tiled { " + body + " }");
  kernel = canonicalize(kernel, options);
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return ir::print(kernel);
}

using ir::test::count;

const char* const kFill = "op (m: parallel) outs(%C[m]) { (c) -> 1.0_f32 } ";

// The rest behind whole tiles, here none.
TEST(Canonicalize, LoopsWithoutRoundsGo) {
  std::string text = canonical("() -> (%C: tensor<8 x f32>)",
                               std::string(kFill) + "tile m0 : m0_size = 0 .. 0 by 1 parallel { " +
                                   "op () outs(%C[m0]) { (c) -> 2.0_f32 } }");
  EXPECT_EQ(count(text, "tile "), 0u) << text;
}

TEST(Canonicalize, OutputsWithoutElementsNeedNoLoop) {
  std::string text =
      canonical("() -> (%C: tensor<0 x f32>)",
                "bound rows = min(0, 8) tile m0 : m0_size = 0 .. 0 by rows parallel { "
                "op () outs(%C[m0]) { (c) -> 2.0_f32 } }");
  EXPECT_EQ(count(text, "tile "), 0u) << text;
}

// A sum over nothing leaves its output, which has elements, as it was.
TEST(Canonicalize, TheOnlyLoopThatWritesStays) {
  const std::string sum =
      "reduction { op (m: parallel) ins(%A[m, k0]) outs(%C[m]) { (a, c) -> add(a, c) } } ";
  std::string text = canonical(
      "(%A: tensor<8 x 0 x f32>) -> (%C: tensor<8 x f32>)",
      "tile k0 : k0_size = 0 .. 0 by 1 " + sum + "tile k0 : k1_size = 0 .. 0 by 1 " + sum);
  EXPECT_EQ(count(text, "tile "), 1u) << text;
}

// A copy that is made and used without rounds goes with them, one that is read behind them does
// not.
TEST(Canonicalize, LocalsThatAreReadAreWritten) {
  const std::string make =
      "alloc %T: tensor<8 x f32> tile k0 : k0_size = 0 .. 0 by 1 parallel { "
      "op (m: parallel) outs(%T[m]) { (t) -> 1.0_f32 } ";
  const std::string use = "op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> t } ";
  std::string text = canonical("() -> (%C: tensor<8 x f32>)", kFill + make + use + "}");
  EXPECT_EQ(count(text, "tile "), 0u) << text;
  text = canonical("() -> (%C: tensor<8 x f32>)", make + "} " + use);
  EXPECT_EQ(count(text, "tile "), 1u) << text;
}

TEST(Canonicalize, LoopsOfOneRoundAreTheirBodies) {
  std::string text = canonical("(%A: tensor<8 x f32>) -> (%C: tensor<8 x f32>)",
                               "tile m0 : m0_size = 0 .. 8 by 8 parallel { "
                               "tile m1 : m1_size = 0 .. m0_size by 4 parallel { "
                               "op () outs(%C[m0 + m1]) { (c) -> 1.0_f32 } } }");
  EXPECT_EQ(count(text, "tile "), 1u) << text;
  EXPECT_EQ(count(text, "0 .. 8 by 4"), 1u) << text;
  EXPECT_EQ(count(text, "%C[m1]"), 1u) << text;
}

// One more or one less than a tile: two rounds, and one of another size.
TEST(Canonicalize, BesideOneRound) {
  auto tiles = [](const std::string& extent) {
    return canonical(
        "() -> (%C: tensor<" + extent + " x f32>)",
        "tile m0 : m0_size = 0 .. " + extent +
            " by 8 parallel { if m0_size == 8 { op () outs(%C[m0]) { (c) -> 1.0_f32 } }"
            " else { op () outs(%C[m0]) { (c) -> 2.0_f32 } } }");
  };
  EXPECT_EQ(count(tiles("9"), "tile "), 1u) << tiles("9");
  EXPECT_EQ(count(tiles("7"), "tile "), 0u) << tiles("7");
  EXPECT_EQ(count(tiles("7"), "2.0_f32"), 1u) << tiles("7");
  EXPECT_EQ(count(tiles("8"), "1.0_f32"), 1u) << tiles("8");
  EXPECT_EQ(count(tiles("8"), "2.0_f32"), 0u) << tiles("8");
}

// Loops of scalars may have variables of one name.
TEST(Canonicalize, OneOfTwoLoopsOfTheSameName) {
  ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f() -> (%C: tensor<1 x 5 x f32>) level hardware { "
      "for k = 0 .. 1 parallel { %C[k, 0] = 1.0_f32 } "
      "for k = 0 .. 5 parallel { %C[0, k] = 2.0_f32 } }");
  std::string text = ir::print(canonicalize(kernel));
  EXPECT_EQ(count(text, "%C[0, 0] = 1.0_f32"), 1u) << text;
  EXPECT_EQ(count(text, "%C[0, k] = 2.0_f32"), 1u) << text;
  EXPECT_EQ(count(text, "for "), 1u) << text;
}

// Of the last dimension, and of views along it; nothing is known of the others.
TEST(Canonicalize, PromisedStridesDecide) {
  const std::string signature = "(%A: tensor<8 x 8 x f32>) -> (%C: tensor<8 x 8 x f32>)";
  auto chosen = [&](const std::string& condition, bool contiguous) {
    std::string text =
        canonical(signature,
                  "view %V: tensor<8 x 4 x f32> = (m, n) -> %A[m, n + 4] "
                  "view %T: tensor<8 x 8 x f32> = (n, m) -> %A[m, n] "
                  "if " +
                      condition +
                      " { op (m: parallel, n: parallel) outs(%C[m, n]) { (c) -> 1.0_f32 } } "
                      "else { op (m: parallel, n: parallel) outs(%C[m, n]) { (c) -> 2.0_f32 } }",
                  {.contiguous = contiguous});
    return count(text, "1.0_f32") - count(text, "2.0_f32");
  };
  for (const char* condition : {"unit %A[1]", "unit %C[1]", "unit %V[1]", "unit %T[0]"}) {
    EXPECT_EQ(chosen(condition, true), 1u) << condition;
    EXPECT_EQ(chosen(condition, false), 0u) << condition;
  }
  for (const char* condition :
       {"unit %A[0]", "unit %V[0]", "unit %T[1]", "unit %A[1] and unit %A[0]"})
    EXPECT_EQ(chosen(condition, true), 0u) << condition;
}

TEST(Canonicalize, DispatchesKeepTheirLoops) {
  ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f() -> (%C: tensor<8 x f32>) level tiled { "
      "tile m0 : m0_size = 0 .. 8 by 8 parallel { "
      "op () outs(%C[m0]) { (c) -> 1.0_f32 } } }");
  EXPECT_EQ(count(ir::print(canonicalize(kernel, {.keepsLoops = true})), "tile "), 1u);
}

// Where a local's elements lie is known; where those of an argument do, who calls says.
TEST(Canonicalize, LocalsLieAsTheirSizesSay) {
  const std::string text =
      canonical("(%A: tensor<M x N x f32>) -> (%C: tensor<M x f32>)",
                "alloc %T: tensor<M x N x f32> view %V: tensor<M x N x f32> = (m, n) -> %T[m, n] "
                "op (m: parallel, n: parallel) ins(%A[m, n]) outs(%V[m, n]) { (a, t) -> a } "
                "if unit %V[1] { op (m: parallel) ins(%V[m, 0]) outs(%C[m]) { (t, c) -> t } } "
                "else { op (m: parallel) outs(%C[m]) { (c) -> 1.0_f32 } } "
                "if unit %A[1] { op (m: parallel) ins(%V[m, 0]) outs(%C[m]) { (t, c) -> t } } "
                "else { op (m: parallel) outs(%C[m]) { (c) -> 2.0_f32 } }");
  EXPECT_EQ(count(text, "unit %V"), 0u) << text;
  EXPECT_EQ(count(text, "1.0_f32"), 0u) << text;
  EXPECT_EQ(count(text, "unit %A"), 1u) << text;
}

}  // namespace
}  // namespace einc::transforms
