// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/fold.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

std::string folded(const std::string& signature, const std::string& body) {
  ir::Kernel kernel =
      ir::test::goodKernel("kernel @f" + signature + " level tiled { " + body + " }");
  fold(kernel);
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return ir::print(kernel);
}

size_t count(const std::string& text, const std::string& part) {
  size_t result = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++result;
  return result;
}

const char* const kFill = "op (m: parallel) outs(%C[m]) { (c) -> 1.0_f32 } ";

// The rest behind whole tiles, here none.
TEST(Fold, LoopsWithoutRoundsGo) {
  std::string text = folded("() -> (%C: tensor<8 x f32>)",
                            std::string(kFill) + "tile m0 : m0_size = 0 .. 0 by 1 parallel { " +
                                "op () outs(%C[m0]) { (c) -> 2.0_f32 } }");
  EXPECT_EQ(count(text, "tile"), 0u) << text;
}

TEST(Fold, OutputsWithoutElementsNeedNoLoop) {
  std::string text = folded("() -> (%C: tensor<0 x f32>)",
                            "bound rows = min(0, 8) tile m0 : m0_size = 0 .. 0 by rows parallel { "
                            "op () outs(%C[m0]) { (c) -> 2.0_f32 } }");
  EXPECT_EQ(count(text, "tile"), 0u) << text;
}

// A sum over nothing leaves its output, which has elements, as it was.
TEST(Fold, TheOnlyLoopThatWritesStays) {
  const std::string sum =
      "reduction { op (m: parallel) ins(%A[m, k0]) outs(%C[m]) { (a, c) -> add(a, c) } } ";
  std::string text =
      folded("(%A: tensor<8 x 0 x f32>) -> (%C: tensor<8 x f32>)",
             "tile k0 : k0_size = 0 .. 0 by 1 " + sum + "tile k0 : k1_size = 0 .. 0 by 1 " + sum);
  EXPECT_EQ(count(text, "tile"), 1u) << text;
}

// A copy that is made and used without rounds goes with them, one that is read behind them does
// not.
TEST(Fold, LocalsThatAreReadAreWritten) {
  const std::string make =
      "alloc %T: tensor<8 x f32> tile k0 : k0_size = 0 .. 0 by 1 parallel { "
      "op (m: parallel) outs(%T[m]) { (t) -> 1.0_f32 } ";
  const std::string use = "op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> t } ";
  std::string text = folded("() -> (%C: tensor<8 x f32>)", kFill + make + use + "}");
  EXPECT_EQ(count(text, "tile"), 0u) << text;
  text = folded("() -> (%C: tensor<8 x f32>)", make + "} " + use);
  EXPECT_EQ(count(text, "tile"), 1u) << text;
}

}  // namespace
}  // namespace einc::transforms
