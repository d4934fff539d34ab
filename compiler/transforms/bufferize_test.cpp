// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/bufferize.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

TEST(Bufferize, AllocsStandBeforeTheFirstUse) {
  ir::Kernel kernel = bufferize(ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level tensors {
      local %T: tensor<M x f32>
      local %U: tensor<(M + 1) x i8>
      local %Unused: tensor<M x f32>
      op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> a }
      op (m: parallel) ins(%U[m] shape, %A[m]) outs(%T[m]) { (u, a, t) -> a }
      op (m: parallel) outs(%U[m]) { (u) -> 1_i8 }
      op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> add(c, t) }
    })"));
  EXPECT_TRUE(ir::verify(kernel).empty());
  EXPECT_EQ(ir::print(kernel), R"(kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>)
    level buffers {
  local %T: tensor<M x f32>
  local %U: tensor<(M + 1) x i8>
  local %Unused: tensor<M x f32>
  op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> a }
  alloc %U
  alloc %T
  op (m: parallel) ins(%U[m] shape, %A[m]) outs(%T[m]) { (u, a, t) -> a }
  op (m: parallel) outs(%U[m]) { (u) -> 1_i8 }
  op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> add(c, t) }
}
)");
}

}  // namespace
}  // namespace einc::transforms
