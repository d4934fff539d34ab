// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/hoist.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

// From any depth of loops; what is on the stack stays.
TEST(HoistAllocs, MemoryIsTakenBeforeTheLoops) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x 8 x f32>) -> (%C: tensor<M x 8 x f32>) level tiled {
      tile m0 : m0_size = 0 .. M by 4 parallel {
        tile m1 : m1_size = 0 .. m0_size by 1 parallel {
          alloc %T: tensor<8 x f32>
          alloc %S: tensor<8 x f32> in stack
          alloc %V: tensor<m0_size x f32>
          op (n: parallel) ins(%A[m0 + m1, n]) outs(%T[n]) { (a, t) -> a }
          op (n: parallel) ins(%T[n]) outs(%C[m0 + m1, n]) { (t, c) -> t }
        }
      }
    })");
  hoistAllocs(kernel);
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  std::string text = ir::print(kernel);
  size_t outer = text.find("tile m0"), inner = text.find("tile m1");
  EXPECT_LT(text.find("alloc %T"), outer) << text;
  EXPECT_GT(text.find("alloc %S"), inner) << text;
  // Its size is the same in all rounds of one of the loops.
  EXPECT_GT(text.find("alloc %V"), outer) << text;
  EXPECT_LT(text.find("alloc %V"), inner) << text;
}

// A way that is not taken needs none. Its sizes are known before.
TEST(HoistAllocs, WaysOfAChoiceKeepTheirs) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x K x f32>) -> (%C: tensor<M x P x f32>) level tiled {
      tile m0 : m0_size = 0 .. M by 1 parallel {
        if unit %A[1] {
          bound kc = min(K, 8)
          tile p0 : p0_size = 0 .. P by 1 parallel {
            alloc %T: tensor<kc x f32>
            op (n: parallel) ins(%A[m0, 0]) outs(%T[n]) { (a, t) -> a }
            op () ins(%T[0]) outs(%C[m0, p0]) { (t, c) -> t }
          }
        }
      }
    })");
  hoistAllocs(kernel);
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  const std::string text = ir::print(kernel);
  EXPECT_LT(text.find("bound kc"), text.find("tile m0")) << text;
  EXPECT_GT(text.find("alloc %T"), text.find("if unit")) << text;
  EXPECT_LT(text.find("alloc %T"), text.find("tile p0")) << text;
}

// They are in one block.
TEST(HoistAllocs, WhatLiesOverAnotherStays) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%C: tensor<M x 8 x f32>) -> (%D: tensor<M x 8 x f32>) level tiled {
      tile m0 : m0_size = 0 .. M by 1 parallel {
        alloc %T: tensor<8 x f32>
        op (n: parallel) ins(%C[m0, n]) outs(%T[n]) { (c, t) -> c }
        op (n: parallel) ins(%T[n]) outs(%D[m0, n]) { (t, d) -> t }
        alloc %U: tensor<4 x f32> over %T
        op (n: parallel) outs(%U[n]) { (u) -> 1.0_f32 }
      }
    })");
  hoistAllocs(kernel);
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  const std::string text = ir::print(kernel);
  EXPECT_GT(text.find("alloc %T"), text.find("tile m0")) << text;
}

// What its size is made of goes before it. What is divided by may be 0 where a condition does not hold: there it is 1.
TEST(HoistAllocs, BoundsOfSizesAreTakenToo) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x K x f32>, %B: tensor<S x f32>) -> (%C: tensor<M x f32>) level tiled {
      tile m0 : m0_size = 0 .. M by 4 parallel {
        bound kc = min(K, 512)
        bound other = min(K, 256)
        alloc %T: tensor<kc x f32>
        op (k: parallel) ins(%A[0, k]) outs(%T[k]) { (a, t) -> a }
        if 0 < S {
          bound q = min(K floordiv S)
          alloc %U: tensor<q x f32>
          op (k: parallel) ins(%A[0, k]) outs(%U[k]) { (a, u) -> a }
        }
        op (m: parallel) ins(%A[m, 0]) outs(%C[m]) { (a, c) -> a }
      }
    })");
  hoistAllocs(kernel);
  std::string text = ir::print(kernel);
  const size_t loop = text.find("tile m0");
  EXPECT_LT(text.find("bound kc"), text.find("alloc %T")) << text;
  EXPECT_LT(text.find("alloc %T"), loop) << text;
  EXPECT_GT(text.find("bound other"), loop) << text;
  EXPECT_LT(text.find("bound minus_divisor = min(-1, -S)"), text.find("bound q")) << text;
  EXPECT_EQ(ir::test::count(text, "bound q = min(K floordiv (-minus_divisor))"), 1u) << text;
  EXPECT_LT(text.find("bound q"), loop) << text;
  EXPECT_GT(text.find("alloc %U"), loop) << text;
}

// No number of positions: where it is negative, another would be divided by.
TEST(HoistAllocs, WhatIsDividedByAnyNumberStays) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x K x f32>) -> (%C: tensor<M x f32>) attr a: i64 = 1 level tiled {
      tile m0 : m0_size = 0 .. M by 4 parallel {
        if 0 < a {
          bound q = min(K floordiv a)
          alloc %U: tensor<q x f32>
          op (k: parallel) ins(%A[0, k]) outs(%U[k]) { (a, u) -> a }
        }
        op (m: parallel) ins(%A[m, 0]) outs(%C[m]) { (a, c) -> a }
      }
    })");
  hoistAllocs(kernel);
  const std::string text = ir::print(kernel);
  EXPECT_GT(text.find("bound q"), text.find("tile m0")) << text;
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
