// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/plan/space.h"

#include "compiler/ir/test_text.h"

namespace einc::strategy {
namespace {

TEST(Space, KnowsExtents) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<96 x N x f32>) -> (%B: tensor<96 x f32>) level tiled {
      op (m: parallel, n: reduction) ins(%A[m, n]) outs(%B[m]) { (a, b) -> add(a, b) }
    })");
  Space space(kernel, std::get<ir::StructuredOp>(kernel.body[0].node));
  EXPECT_EQ(space.known("m"), 96);
  EXPECT_EQ(space.known("n"), std::nullopt);
  space.tile("m", 32);
  EXPECT_EQ(space.known("m"), 32);
  space.tile("m", 5);
  EXPECT_EQ(space.known("m"), std::nullopt);
  space.tile("n", 1);
  EXPECT_TRUE(space.reductions().empty());
}

}  // namespace
}  // namespace einc::strategy
