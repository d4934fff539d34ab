// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/hoist.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

// From any depth of loops and branches; what has no constant size, or is on the stack, stays.
TEST(HoistAllocs, MemoryIsTakenBeforeTheLoops) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x 8 x f32>) -> (%C: tensor<M x 8 x f32>) level tiled {
      tile m0 : m0_size = 0 .. M by 4 parallel {
        if unit %A[1] {
          tile m1 : m1_size = 0 .. m0_size by 1 parallel {
            alloc %T: tensor<8 x f32>
            alloc %S: tensor<8 x f32> in stack
            alloc %V: tensor<m0_size x f32>
            op (n: parallel) ins(%A[m0 + m1, n]) outs(%T[n]) { (a, t) -> a }
            op (n: parallel) ins(%T[n]) outs(%C[m0 + m1, n]) { (t, c) -> t }
          }
        }
      }
    })");
  hoistAllocs(kernel);
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  std::string text = ir::print(kernel);
  size_t outer = text.find("tile m0"), inner = text.find("tile m1");
  EXPECT_LT(text.find("alloc %T"), outer) << text;
  EXPECT_GT(text.find("alloc %S"), inner) << text;
  EXPECT_GT(text.find("alloc %V"), inner) << text;
}

TEST(HoistAllocs, RoundsOnThreadsKeepTheirs) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x 8 x f32>) -> (%C: tensor<M x 8 x f32>) level tiled {
      tile m0 : m0_size = 0 .. M by 4 parallel on threads {
        tile m1 : m1_size = 0 .. m0_size by 1 parallel {
          alloc %T: tensor<8 x f32>
          op (n: parallel) ins(%A[m0 + m1, n]) outs(%T[n]) { (a, t) -> a }
          op (n: parallel) ins(%T[n]) outs(%C[m0 + m1, n]) { (t, c) -> t }
        }
      }
    })");
  hoistAllocs(kernel);
  std::string text = ir::print(kernel);
  size_t alloc = text.find("alloc %T");
  EXPECT_GT(alloc, text.find("tile m0")) << text;
  EXPECT_LT(alloc, text.find("tile m1")) << text;
}

}  // namespace
}  // namespace einc::transforms
