// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/bound_allocs.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

TEST(BoundAllocs, SizesAreThoseOfTheLargestTile) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x K x f32>) -> (%C: tensor<M x f32>) level tiled {
      bound kc = min(K, 512)
      tile m0 : m0_size = 0 .. M by 100 parallel {
        bound mc = min(m0_size, 192)
        alloc %T: tensor<(mc ceildiv 8) x kc x f32>
        alloc %U: tensor<M x f32>
        bound missing = min(0, -m0_size + 20)
        alloc %X: tensor<(-missing) x f32>
        tile k0 : k0_size = 0 .. K by kc reduction {
          alloc %V: tensor<k0_size x f32>
          op (m: parallel) ins(%A[m, 0]) outs(%C[m]) { (a, c) -> a }
        }
      }
      alloc %W: tensor<kc x f32>
    })");
  boundAllocs(kernel);
  const std::string text = ir::print(kernel);
  for (const char* size :
       {"%T: tensor<13 x kc x f32>", "%U: tensor<M x f32>", "%X: tensor<80 x f32>",
        "%V: tensor<k0_size x f32>", "%W: tensor<kc x f32>"})
    EXPECT_EQ(ir::test::count(text, size), 1u) << size << "\n" << text;
}

}  // namespace
}  // namespace einc::transforms
