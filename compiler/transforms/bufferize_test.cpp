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

// The body that a kernel on %A and %C, with locals %T and %U of %C's shape, comes to.
std::string bodyOf(const std::string& ops, const std::string& b = "M + 1") {
  const std::string text = "kernel @f(%A: tensor<(2 * M + 2) x f32>, %B: tensor<(" + b +
                           ") x f32>) -> (%C: tensor<M x f32>) level tensors {"
                           "local %T: tensor<M x f32> local %U: tensor<M x f32> " +
                           ops + "}";
  ir::Kernel kernel = bufferize(ir::test::goodKernel(text));
  EXPECT_TRUE(ir::verify(kernel).empty());
  const std::string printed = ir::print(kernel);
  return printed.substr(printed.find("local %U"));
}

constexpr const char* kFirst = "  op (m: parallel) ins(%A[m + 2]) outs(%T[m]) { (a, t) -> a }\n";

TEST(Bufferize, ALocalThatEndsInAnOutputIsThere) {
  EXPECT_EQ(bodyOf(std::string(kFirst) + "  op (m: parallel) ins(%T[m], %A[2 * m]) outs(%C[m]) "
                                         "{ (t, a, c) -> div(a, t) }\n"),
            R"(local %U: tensor<M x f32>
  op (m: parallel) ins(%A[m + 2]) outs(%C[m]) { (a, c) -> a }
  op (m: parallel) ins(%A[m * 2]) outs(%C[m]) { (a, c) -> div(a, c) }
}
)");
}

TEST(Bufferize, OneLocalAfterTheOther) {
  EXPECT_EQ(bodyOf(std::string(kFirst) +
                   "  op (m: parallel) ins(%T[m]) outs(%U[m]) { (t, u) -> neg(t) }\n"
                   "  op (m: parallel) ins(%U[m]) outs(%C[m]) { (u, c) -> mul(u, u) }\n"),
            R"(local %U: tensor<M x f32>
  op (m: parallel) ins(%A[m + 2]) outs(%C[m]) { (a, c) -> a }
  op (m: parallel) outs(%C[m]) { (c) -> neg(c) }
  op (m: parallel) outs(%C[m]) { (c) -> mul(c, c) }
}
)");
}

TEST(Bufferize, WhereALocalHasMemoryOfItsOwn) {
  const std::string first = kFirst;
  auto hasOwn = [&](const std::string& ops, const std::string& b = "M + 1") {
    return bodyOf(ops, b).find("alloc %T") != std::string::npos;
  };
  EXPECT_FALSE(hasOwn(first + "op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> t }"));
  // It is read elsewhere than what is written,
  EXPECT_TRUE(hasOwn(first + "op (m: parallel) ins(%T[M - 1 - m]) outs(%C[m]) { (t, c) -> t }"));
  EXPECT_TRUE(hasOwn(first + "op (m: parallel) ins(%T[m], %T[M - 1 - m]) outs(%C[m]) "
                             "{ (t, s, c) -> add(t, s) }"));
  EXPECT_TRUE(
      hasOwn(first + "op (m: parallel) ins(%T[m] pad 0.0_f32) outs(%C[m]) { (t, c) -> t }"));
  // or once more,
  EXPECT_TRUE(hasOwn(first + "op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> t }"
                             "op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> add(c, t) }"));
  // the output is not overwritten, or used before,
  EXPECT_TRUE(hasOwn(first + "op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> add(c, t) }"));
  EXPECT_TRUE(hasOwn("op (m: parallel) ins(%B[m]) outs(%C[m]) { (b, c) -> b }" + first +
                     "op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> t }"));
  EXPECT_TRUE(hasOwn("op (m: parallel) ins(%C[m]) outs(%U[m]) { (c, u) -> c }" + first +
                     "op (m: parallel) ins(%T[m], %U[m]) outs(%C[m]) { (t, u, c) -> add(t, u) }"));
  // a sum is the op that reads it,
  EXPECT_TRUE(hasOwn(first + "op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> a }"
                             "op (m: parallel, k: reduction) ins(%T[m], %A[k]) outs(%C[m]) "
                             "{ (t, a, c) -> max(a, t) }"));
  // or a call may pass an input as the output: here %B, which the last op reads beside %T.
  EXPECT_TRUE(
      hasOwn("op (m: parallel) ins(%B[m]) outs(%T[m]) { (b, t) -> b }"
             "op (m: parallel) ins(%T[m], %B[m]) outs(%C[m]) { (t, b, c) -> add(t, b) }",
             "M"));
}

// What a workgroup keeps is in its memory.
TEST(Bufferize, WorkgroupsHaveMemoryOfTheirOwn) {
  const ir::Kernel made = bufferize(ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%C: tensor<M x f32>) level tensors {
      local %S: tensor<f32>
      tile m0 : m0_size = 0 .. M by 1 parallel on workgroups x {
        view %a: tensor<N x f32> = (n) -> %A[m0, n]
        view %c: tensor<f32> = () -> %C[m0]
        op () outs(%S[]) { (s) -> 0.0_f32 }
        op (n: reduction) ins(%a[n]) outs(%S[]) { (a, s) -> add(s, a) }
        op () ins(%S[]) outs(%c[]) { (s, c) -> s }
      }
    })"));
  const std::string text = ir::print(made);
  EXPECT_NE(text.find("alloc %S in workgroup"), std::string::npos) << text;
  EXPECT_GT(text.find("alloc %S"), text.find("tile m0")) << text;
}

}  // namespace
}  // namespace einc::transforms
