// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/size_limit.h"

#include "compiler/ir/test_text.h"

namespace einc::ir {
namespace {

std::string found(const std::string& a, const std::string& c) {
  auto excess = findTooLarge(test::parsedKernel(
      "kernel @f(%A: tensor<" + a + " x f32>) -> (%C: tensor<" + c +
      " x f32>) level tensors { op (m: parallel, k: parallel) ins(%A[m, k] shape) outs(%C[m]) { "
      "(c) -> 1.0_f32 } }"));
  return excess ? excess->reason : "";
}

TEST(SizeLimit, Tensors) {
  EXPECT_EQ(found("M x K", "M"), "");
  EXPECT_EQ(found("18014398509481984 x K", "M"), "");  // 2^54
  EXPECT_EQ(found("18014398509481985 x K", "M"),
            "'A', 18014398509481985 x K of f32, is too large: a tensor has at most 2^56 bytes");
  EXPECT_NE(found("M x 9223372036854775807", "M"), "");
  EXPECT_NE(found("4294967296 x 4294967296", "4294967296"), "");
  EXPECT_NE(found("0 x 9223372036854775807", "0"), "");  // schedules compute with it all the same
  EXPECT_NE(found("M * 4611686018427387904 x K", "M"), "");
  EXPECT_NE(found("M x K - 9223372036854775807", "M"), "");
}

TEST(SizeLimit, Statements) {
  auto of = [](const std::string& m) {
    auto excess = findTooLarge(test::parsedKernel(
        "kernel @f(%A: tensor<" + m +
        " x K x f32>, %B: tensor<K x 1048576 x f32>) -> (%C: tensor<" + m +
        " x 1048576 x f32>) level tensors { op (m: parallel, n: parallel, k: reduction) "
        "ins(%A[m, k], %B[k, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) } }"));
    return excess ? excess->reason : "";
  };
  EXPECT_EQ(of("1048576"), "");
  auto cube = findTooLarge(test::parsedKernel(
      "kernel @f(%A: tensor<4194304 x 4194304 x f32>, %B: tensor<4194304 x 4194304 x f32>) -> (%C: "
      "tensor<4194304 x 4194304 x f32>) level tensors { op (m: parallel, n: parallel, k: "
      "reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) } }"));
  ASSERT_TRUE(cube);
  EXPECT_EQ(cube->reason,
            "a statement over m, n, k, 4194304 x 4194304 x 4194304 iterations, is too large: a "
            "statement has at most 2^60 iterations");
}

}  // namespace
}  // namespace einc::ir
