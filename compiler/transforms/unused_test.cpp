// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/unused.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

// What is only asked for is of use; what nothing mentions goes, and bounds of it.
TEST(DropUnused, PrefetchesAreUses) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level tiled {
      bound half = min(M floordiv 2, M)
      view %V: tensor<M x f32> = (m) -> %A[m]
      view %W: tensor<half x f32> = (m) -> %A[m]
      prefetch %V[64]
      op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> a }
    })");
  dropUnused(kernel);
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  std::string text = ir::print(kernel);
  EXPECT_NE(text.find("view %V"), std::string::npos) << text;
  EXPECT_EQ(text.find("view %W"), std::string::npos) << text;
  EXPECT_EQ(text.find("bound half"), std::string::npos) << text;
}

}  // namespace
}  // namespace einc::transforms
