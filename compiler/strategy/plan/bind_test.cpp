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

// Invocations that go from block to block.
TEST(Apply, SharesBlocks) {
  auto onDevice = [](const std::string& steps) { return applied(kMap, steps, nullptr, "vulkan"); };
  const std::string tile = "bind m by 32, n by 32 to workgroups ";
  std::string text = onDevice(tile + "bind m over 4, n over 32 to invocations loops");
  EXPECT_TRUE(has(text, "tile ty : ty_size = 0 .. 4 by 1 parallel on invocations {")) << text;
  EXPECT_TRUE(has(text, "tile tx : tx_size = 0 .. 32 by 1 parallel on invocations {")) << text;
  EXPECT_TRUE(has(text, "tile turn : turn_size = 0 .. 8 by 1 parallel {")) << text;
  EXPECT_TRUE(has(text, "if (tx) < n0_size {")) << text;
  EXPECT_TRUE(has(text, "if (turn * 4 + ty) < m0_size {")) << text;
  // A block may be cut off. As many rounds as there are blocks, where nothing says how many.
  text = onDevice("bind m to workgroups bind n by 4 over 16 to invocations loops");
  EXPECT_TRUE(has(text, "tile turn : turn_size = 0 .. (-(-N) floordiv 64) by 1")) << text;
  EXPECT_TRUE(has(text, "bound n_left = min(4, N - turn * 64 - tx * 4)")) << text;
  EXPECT_TRUE(has(text, "if 1 <= n_left {")) << text;
}

TEST(Apply, CopiesToTheWorkgroup) {
  const std::string tile = "bind m by 32, n by 16 to workgroups ";
  const std::string copy = "copy A (n, m) as t on workgroup (33) { loops } ";
  const std::string text =
      applied(kMap, tile + copy + "bind m over 8 to invocations loops", nullptr, "vulkan");
  EXPECT_TRUE(has(text, "alloc %t: tensor<16 x 33 x f32> in workgroup")) << text;
  EXPECT_TRUE(has(text, "outs(%t_part[n, m])")) << text;
  EXPECT_TRUE(has(text, "(n) -> %t_part[n, turn * 8 + tx]")) << text;
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
       "'ahead', 'fit', 'early', 'variant', 'unrolled' and 'own' are for CPUs\n"},
      {kSum, "bind m to invocations tile n by 4 vectorize (n: 4)",
       "a device has vectors along results alone\n"},
      {kMap, "convert A to f32", "'convert' is for CPUs, and vulkan is a device\n"},
      {kMap, "tile m by 8 on threads (4)", "a device has no threads: bind m\n"},
      {kSum, "tile n by 8", "loops over results are around those of reductions: bind one before\n"},
      {kMap, "when aligned(A, n, 12) { loops } otherwise { loops }",
       "expected a power of two of bytes\n"},
      {kMap, "when inside { loops } otherwise { loops }",
       "what is read outside tensors is asked for on CPUs alone\n"},
  };
  const std::string group = "bind m by 8 to workgroups ";
  const std::vector<std::array<std::string, 3>> others = {
      {kMap, "bind n over 8 to invocations",
       "'over' shares out what a workgroup has: bind one to workgroups before\n"},
      {kMap, group + "bind n over 8 to workgroups",
       "'over' says how many invocations share blocks\n"},
      {kMap, group + "bind m over 16, n over 16 to invocations",
       "a workgroup has 128 invocations, and these would be 256\n"},
      {kMap, group + "bind m, n over 16 to invocations",
       "'m' has no 'over', and others have: all of them, or none\n"},
      {kMap, group + "bind n over 0 to invocations", "expected 1 to 128 invocations\n"},
      {kMap, group + "bind n by m over 8 to invocations",
       "blocks that are shared are of a known size\n"},
      {kMap, group + "bind n over 2, n over 2 to invocations", "'n' stands twice\n"},
      {kSum, group + "bind n over 8 to invocations",
       "'n' is a reduction: what is bound are loops over results\n"},
      {kMap, "copy A (m, n) as t on workgroup { }",
       "memory is shared in a workgroup: bind one to workgroups before\n"},
      {kMap, group + "copy A (m, n) as t on workgroup { }",
       "the size of the copy is to be known: tile n before, by 256, say\n"},
      {kMap, "bind m by 64, n by 128 to workgroups copy A (m, n) as t on workgroup { }",
       "a workgroup has 16384 bytes of memory, and with this it would take 32768\n"},
      {kMap, "bind m by 4, n by 4 to workgroups copy A (m, n) as t on workgroup (3) { }",
       "a row has 4 elements here, and memory for twice as many, or 16 more, at most\n"},
      {kMap, group + "bind n by 4 to invocations copy A (m, n) as t on workgroup { }",
       "an invocation takes no memory of the workgroup: copy before 'bind' to invocations\n"},
      {kMap, group + "copy A (m, n) as t { }",
       "a device copies to the memory of a workgroup: copy ... on workgroup\n"},
  };
  for (const auto& [kernel, steps, why] : others) EXPECT_EQ(refused(kernel, steps, "vulkan"), why);
  EXPECT_EQ(refused(kMap, "copy A (m, n) as t on workgroup { }"), "x86-64-v4 has no workgroups\n");
  for (const auto& [kernel, steps, why] : wrong) EXPECT_EQ(refused(kernel, steps, "vulkan"), why);
  EXPECT_EQ(refused(kMap, "bind m to workgroups"), "x86-64-v4 has no workgroups and invocations\n");
}

}  // namespace
}  // namespace einc::strategy
