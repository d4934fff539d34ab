// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Calls: of libraries and of functions of the user's own, on what there is of an op.
#include "compiler/strategy/plan/test_steps.h"

namespace einc::strategy {
namespace {

using test::applied;
using test::has;
using test::kImage;
using test::kMap;
using test::kProduct;
using test::kWindow;
using test::refused;

TEST(Calls, OfALibraryOnTiles) {
  std::string text = applied(kProduct, "tile m by 64 tile n by 32 call cblas otherwise { loops }");
  EXPECT_TRUE(has(text, "library cblas gemm (m: m, n: n, k: k)")) << text;
  EXPECT_TRUE(has(text, "ins(%A_m0[m, k], %B_n0[k, n])")) << text;
  text = applied(kProduct, "tile m by 1 tile n by 64 call cblas otherwise { vectorize (n: 64) }");
  EXPECT_TRUE(has(text, "library cblas gemv (")) << text;
  EXPECT_TRUE(has(text, "vector (n: 64)")) << text;
}

TEST(Calls, OfTheUsersOwnFunction) {
  std::string text = applied(kMap, "tile m by 4 call my_exp");
  EXPECT_TRUE(has(text, "external my_exp (%A_m0, %B_m0) {")) << text;
  EXPECT_TRUE(has(text, "op (m: parallel, n: parallel) ins(%A_m0[m, n])")) << text;
  text = applied(kWindow, "call my_window");  // of all of the op, which reads outside
  EXPECT_TRUE(has(text, "external my_window (%A, %K, %B, s) {")) << text;
}

TEST(Calls, AreRefused) {
  EXPECT_TRUE(has(refused(kMap, "tile m by 4 call cblas"), "no call of cblas: "));
  EXPECT_TRUE(has(refused(kMap, "call my_exp otherwise { loops }"), "leave out 'otherwise'"));
  EXPECT_TRUE(has(refused(kProduct, "call cblas loops"), "nothing follows 'call'"));
  EXPECT_TRUE(has(refused(kImage, "collapse y, x as m call mine"), "may lie anywhere"));
  EXPECT_TRUE(has(refused(kWindow, "tile c by 8 call mine"), "outside its tensors"));
  EXPECT_TRUE(
      has(refused(kProduct, "tile m by 256 tile k by 64 pack A (m: 8) call cblas"), "is packed"));
  EXPECT_TRUE(has(refused(kMap, "call my_exp", "vulkan"), "is for CPUs"));
}

}  // namespace
}  // namespace einc::strategy
