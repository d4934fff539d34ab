// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Invocations of a workgroup that share positions.
#include <array>

#include "compiler/strategy/plan/test_steps.h"

namespace einc::strategy {
namespace {

using test::applied;
using test::has;
using test::kChain;
using test::kMap;
using test::kProduct;
using test::kSum;
using test::refused;

std::string onDevice(const char* kernel, const std::string& steps) {
  return applied(kernel, steps, nullptr, "vulkan");
}

TEST(Apply, SharesReductionsAmongLanes) {
  std::string text = onDevice(kSum, "bind m by 4 to workgroups lanes n over 32 loops");
  EXPECT_TRUE(has(text, "alloc %parts: tensor<4 x 32 x f32> in workgroup")) << text;
  EXPECT_TRUE(has(text, "tile r : r_size = 0 .. 4 by 1 parallel on invocations {")) << text;
  EXPECT_TRUE(has(text, "tile t : t_size = 0 .. 32 by 1 parallel on invocations {")) << text;
  EXPECT_TRUE(has(text, "if (r) < m0_size {")) << text;
  EXPECT_TRUE(has(text, "view %A_m0_r_t: tensor<n_count x f32> = (n) -> %A_m0_r[t + n * 32]"))
      << text;
  for (const char* half : {"16", "8", "4", "2", "1"})
    EXPECT_TRUE(has(text, "= 0 .. " + std::string(half) + " by 1 parallel on invocations {"))
        << text;
  EXPECT_TRUE(has(text, "view %parts_first: tensor<m0_size x f32> = (m) -> %parts[m, 0]")) << text;
  // A row alone has no loop over rows; one workgroup does what has no positions.
  text = onDevice(kSum, "bind m to workgroups lanes n over 32 loops");
  EXPECT_TRUE(has(text, "alloc %parts: tensor<32 x f32> in workgroup")) << text;
  EXPECT_FALSE(has(text, "tile r :")) << text;
  text = onDevice(kMap, "bind m to workgroups lanes n over 64 tile n by 4 loops");
  EXPECT_FALSE(has(text, "in workgroup")) << text;
  EXPECT_TRUE(has(text, "tile n0 : n0_size = 0 .. n_count by 4 parallel {")) << text;
  text = onDevice(kMap, "lanes m, n over 64 loops");
  EXPECT_TRUE(has(text, "tile all : all_size = 0 .. 1 by 1 parallel on workgroups x {")) << text;
  EXPECT_TRUE(has(text, "min(-(-M * N + t) floordiv 64)")) << text;
  // Parallel positions of a product: each lane sums up on its own.
  text = onDevice(kProduct, "bind m to workgroups lanes n over 64 loops");
  EXPECT_TRUE(has(text, "op (n: parallel, k: reduction)")) << text;
}

TEST(Apply, SaysWhyLanesShareNothing) {
  const std::vector<std::array<std::string, 3>> wrong = {
      {kSum, "bind m to workgroups lanes n over 24",
       "expected a power of two, 128 at most, as parts are combined in a tree\n"},
      {kSum, "bind m to workgroups lanes n over 256",
       "expected a power of two, 128 at most, as parts are combined in a tree\n"},
      {kSum, "bind m to workgroups lanes x over 32", "no iterator 'x' here; there are n\n"},
      {kSum, "bind m to workgroups lanes n, n over 32", "'n' stands twice\n"},
      {kSum, "lanes m, n over 32",
       "'m' and 'n' are a reduction and none: lanes go along one kind\n"},
      {kSum, "bind m to invocations lanes n over 32",
       "an invocation has no lanes: they share what is bound to workgroups\n"},
      {kSum, "lanes n over 32",
       "a workgroup has 128 invocations, and 'm' may have any number of positions\n"},
      {kSum, "bind m by 8 to workgroups lanes n over 32",
       "a workgroup has 128 invocations, and these would be 256\n"},
      {kProduct, "lanes k over 32",
       "besides there are 'm' and 'n': bind one of them to workgroups before\n"},
      {kChain, "lanes m over 32", "terms along 'm' may not come in another order\n"},
      {kMap, "tile m by 8 lanes n over 32",
       "a loop in order, or a way of 'when' in one, stands around: bind one to workgroups "
       "before\n"},
      {kSum, "bind m to workgroups lanes n over 32 bind n to invocations",
       "'n' is a reduction: what is bound are loops over results\n"},
  };
  for (const auto& [kernel, steps, why] : wrong) EXPECT_EQ(refused(kernel, steps, "vulkan"), why);
  EXPECT_EQ(refused(kSum, "lanes n over 32"), "x86-64-v4 has no workgroups and invocations\n");
  EXPECT_EQ(refused(kSum, "bind m to workgroups lanes n over 32", "vulkan", /*keepsOrder=*/true),
            "the order of the sum along 'n' is kept (--fp=strict)\n");
}

}  // namespace
}  // namespace einc::strategy
