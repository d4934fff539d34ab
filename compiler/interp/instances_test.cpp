// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/interp/instances.h"

#include <gtest/gtest.h>

#include "compiler/ir/test_text.h"

namespace einc::interp {
namespace {

std::string product(const std::string& extra, const std::string& of = "tensors") {
  return "kernel @f(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>) -> (%C: tensor<M x N x f32>) "
         "level " +
         of +
         " { op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) "
         "outs(%C[m, n]) { (a, b, c) -> " +
         extra + " } }";
}
constexpr const char* kTiles =
    "kernel @f(%A: tensor<M x i32>) -> (%C: tensor<M x i32>) level tiled { "
    "tile m0 : m0_size = 0 .. M floordiv 16 * 16 by 16 parallel { "
    "view %A0: tensor<m0_size x i32> = (i) -> %A[m0 + i] "
    "view %C0: tensor<m0_size x i32> = (i) -> %C[m0 + i] "
    "op (m: parallel) ins(%A0[m]) outs(%C0[m]) { (a, c) -> add(a, 1_i32) } } }";
constexpr const char* kPlusOne =
    "kernel @f(%A: tensor<M x i32>) -> (%C: tensor<M x i32>) level tensors { "
    "op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> add(a, 1_i32) } }";

std::string differenceFrom(const std::string& kernel, const std::string& form) {
  return Instances(ir::test::goodKernel(kernel))
      .findDifference(ir::test::goodKernel(form))
      .value_or("none");
}

TEST(Instances, TheSameIsTheSameInAnyOrder) {
  const std::string sum = product("add(c, mul(a, b))");
  EXPECT_EQ(differenceFrom(sum, sum), "none");
  EXPECT_EQ(differenceFrom(sum, product("fma(a, b, c)", "tiled")), "none");
}

TEST(Instances, SaysWhereAndWhat) {
  const std::string found =
      differenceFrom(product("add(c, mul(a, b))"), product("add(c, mul(a, a))"));
  EXPECT_NE(found.find("K = 1, M = 1, N = 1: %C at [0, 0]: "), std::string::npos) << found;
  EXPECT_NE(found.find("expected"), std::string::npos) << found;
}

// What is left behind whole tiles of 16 is seen at sizes around them, or at any other.
TEST(Instances, AreAroundNumbersThatMatter) {
  EXPECT_NE(differenceFrom(kPlusOne, kTiles), "none");
  Instances instances(ir::test::goodKernel(kPlusOne));
  instances.around({16});
  std::string form = kTiles;
  const std::string lost = "M floordiv 16 * 16";
  form.replace(form.find(lost), lost.size(), "M");
  EXPECT_EQ(instances.findDifference(ir::test::goodKernel(form)), std::nullopt);
  // Wrong in the second tile alone.
  const std::string at = "%C[m0 + i]";
  form.replace(form.find(at), at.size(), "%C[m0 floordiv 16 * 17 + i]");
  auto difference = instances.findDifference(ir::test::goodKernel(form));
  ASSERT_TRUE(difference);
  EXPECT_NE(difference->find("M = 17"), std::string::npos) << *difference;
}

// Sizes that a contract ties together are found; attributes are 1, or their defaults.
TEST(Instances, KeepTheContract) {
  const std::string window =
      "kernel @f(%A: tensor<W x f64>, %B: tensor<K x f64>) -> (%C: tensor<M x f64>) "
      "attr s: 1xi64 attr d: i64 = 2 level tensors { op (m: parallel, k: reduction) "
      "ins(%A[m * s[0] + k * d], %B[k]) outs(%C[m]) { (a, b, c) -> add(c, mul(a, b)) } }";
  Instances instances(ir::test::goodKernel(window));
  EXPECT_FALSE(instances.empty());
  std::string wrong = window;
  wrong.replace(wrong.find("mul(a, b)"), 9, "mul(a, a)");
  EXPECT_TRUE(instances.findDifference(ir::test::goodKernel(wrong)));
}

TEST(Instances, AreNoneWhereSizesAreLarge) {
  EXPECT_TRUE(Instances(ir::test::goodKernel(
                            "kernel @f(%A: tensor<9000 x f32>) -> (%C: tensor<9000 x f32>) level "
                            "tensors { op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> a } }"))
                  .empty());
}

// A form that ends before it is done differs, too.
TEST(Instances, AccessesOutsideAreDifferences) {
  std::string outside = kTiles;
  const std::string at = "%A[m0 + i]";
  outside.replace(outside.find(at), at.size(), "%A[m0 + i + 1]");
  Instances instances(ir::test::goodKernel(kPlusOne));
  instances.around({16});
  auto difference = instances.findDifference(ir::test::goodKernel(outside));
  ASSERT_TRUE(difference);
}

// What a call must keep is said by the contract, wherever the code begins.
TEST(Instances, CodeIsCalledByItsContract) {
  const std::string head =
      "kernel @f(%A: tensor<M x f32>, %B: tensor<N x f32>) -> (%C: tensor<N x f32>) ";
  const ir::Kernel kernel = ir::test::goodKernel(
      head +
      "strides contiguous level hardware { for n = 0 .. N parallel { %C[n] = %A[n + 1] } } "
      "contract { op (n: parallel) ins(%A[n + 1], %B[n] shape) outs(%C[n]) { (a, b, c) -> a } }");
  auto call = [&](int64_t m, int64_t n, int64_t stride) {
    Arguments arguments;
    for (int64_t size : {m, n, n})
      arguments.tensors.push_back(*allocate(ir::ScalarType::F32, {2 * size}));
    for (size_t i = 0; i < 3; ++i) {
      arguments.tensors[i].sizes[0] = i == 0 ? m : n;
      arguments.tensors[i].strides[0] = stride;
    }
    CheckedCall checked;
    return checkCall(kernel, arguments, checked).status;
  };
  EXPECT_EQ(call(4, 3, 1), Status::EINC_OK);
  EXPECT_EQ(call(3, 3, 1), Status::EINC_OUT_OF_RANGE);
  EXPECT_EQ(call(4, 3, 2), Status::EINC_BAD_STRIDE);
}

}  // namespace
}  // namespace einc::interp
