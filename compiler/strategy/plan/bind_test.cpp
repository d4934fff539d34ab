// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Loops on a device that run at once.
#include <array>

#include "compiler/strategy/plan/test_steps.h"

namespace einc::strategy {
namespace {

using test::applied;
using test::has;
using test::kMap;
using test::kSum;
using test::refused;

TEST(Apply, BindsLoops) {
  auto onDevice = [](const char* kernel, const std::string& steps) {
    return applied(kernel, steps, nullptr, "vulkan");
  };
  std::string text = onDevice(kMap, "bind m to invocations bind n to invocations loops");
  EXPECT_TRUE(has(text, "tile m0 : m0_size = 0 .. M by 1 parallel on grid {")) << text;
  EXPECT_TRUE(has(text, "tile n0 : n0_size = 0 .. N by 1 parallel on grid {")) << text;
  text = onDevice(kMap, "bind m by 8 to workgroups bind n to invocations loops");
  EXPECT_TRUE(has(text, "tile m0 : m0_size = 0 .. M by 8 parallel on workgroups x {")) << text;
  EXPECT_TRUE(has(text, "tile n0 : n0_size = 0 .. N by 1 parallel on invocations {")) << text;
  EXPECT_TRUE(has(text, "op (m: parallel)")) << text;
  // Whole blocks are known to be.
  text = onDevice(kMap,
                  "when n mod 4 == 0 { bind n by 4 to invocations vectorize (n: 4) } otherwise"
                  " { bind n by 4 to invocations loops }");
  EXPECT_TRUE(has(text, "tensor<M x 4 x f32>")) << text;
  EXPECT_TRUE(has(text, "vector (n: 4)")) << text;
  EXPECT_TRUE(has(text, "tensor<M x n0_size x f32>")) << text;
  // In a workgroup there may be loops in order.
  text = onDevice(kSum, "bind m by 8 to workgroups tile n by 16 bind m to invocations loops");
  EXPECT_TRUE(has(text, "by 16 reduction {")) << text;
  EXPECT_TRUE(has(text, "by 1 parallel on invocations {")) << text;
}

TEST(Apply, SaysWhyLoopsAreNotBound) {
  const std::vector<std::array<std::string, 3>> wrong = {
      {kSum, "bind n to invocations", "'n' is a reduction: what is bound are loops over results\n"},
      {kMap, "bind n to invocations bind m to workgroups",
       "workgroups stand around invocations: bind m before\n"},
      {kMap, "tile m by 8 bind n to invocations",
       "a loop in order, or a way of 'when', stands between: bind n before\n"},
      {kMap, "bind m to invocations when n == 1 { bind n to invocations } otherwise { loops }",
       "a loop in order, or a way of 'when', stands between: bind n before\n"},
      {kMap, "bind x to workgroups", "no iterator 'x' here; there are m, n\n"},
      {kMap, "bind n by 0 to workgroups", "a block has 1 position or more\n"},
      {kMap, "bind m to invocations tile n by 128 vectorize (n: 128)",
       "more than 64 results do not stay in the registers of an invocation\n"},
      {kMap, "bind m to invocations tile n by 4 vectorize (n: 4) early",
       "'ahead', 'fit', 'early' and 'variant' are for CPUs\n"},
      {kSum, "bind m to invocations tile n by 4 vectorize (n: 4)",
       "a device has vectors along results alone\n"},
      {kMap, "pack A (n: 48)", "'pack' is for CPUs, and vulkan is a device\n"},
      {kMap, "tile m by 8 on threads (4)", "a device has no threads: bind m\n"},
      {kSum, "tile n by 8", "loops over results are around those of reductions: bind one before\n"},
      {kMap, "when aligned(A, n, 12) { loops } otherwise { loops }",
       "expected a power of two of bytes\n"},
      {kMap, "when inside { loops } otherwise { loops }",
       "what is read outside tensors is asked for on CPUs alone\n"},
  };
  for (const auto& [kernel, steps, why] : wrong) EXPECT_EQ(refused(kernel, steps, "vulkan"), why);
  EXPECT_EQ(refused(kMap, "bind m to workgroups"), "x86-64-v4 has no workgroups and invocations\n");
}

}  // namespace
}  // namespace einc::strategy
