// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Tiles of a workgroup: operands in its memory, sums in the registers of its invocations.
#include <array>

#include "compiler/strategy/plan/test_steps.h"

namespace einc::strategy {
namespace {

using test::applied;
using test::has;
using test::kMap;
using test::kProduct;
using test::refused;

const std::string kTiles = "bind m by 16, n by 32 to workgroups ";
const std::string kBound =
    "bind m by 2 over 8, n by 4 over 8 to invocations vectorize (m: 2, n: 4) ";

std::string onDevice(const std::string& steps) {
  return applied(kProduct, steps, nullptr, "vulkan");
}

TEST(Registers, KeepResults) {
  std::string text = onDevice(kTiles +
                              "results (m: 2 over 8, n: 4 over 8) { tile k by 8 pack A (m: 16) on "
                              "workgroup (20) pack B (n: 32) on "
                              "workgroup when k == 8 { " +
                              kBound + "} otherwise { " + kBound + "} }");
  EXPECT_TRUE(has(text, "alloc %C_sums: tensor<8 x 8 x 2 x 4 x f32> in registers")) << text;
  EXPECT_TRUE(has(text, "alloc %A_tile: tensor<8 x 20 x f32> in workgroup")) << text;
  EXPECT_TRUE(has(text, "alloc %B_tile: tensor<8 x 32 x f32> in workgroup")) << text;
  EXPECT_TRUE(has(text, "bound rows = min(2, m0_size - ty * 2)")) << text;
  EXPECT_TRUE(has(text, "bound columns = min(4, n0_size - tx * 4)")) << text;
  // What is filled up is not cut off; a whole tile of the reduction has a known size.
  EXPECT_TRUE(has(text, "tensor<8 x 2 x f32>")) << text;
  EXPECT_TRUE(has(text, "tensor<k0_size x 2 x f32>")) << text;
  EXPECT_FALSE(has(text, "bound m_left")) << text;
  // Where an operand is read from elsewhere there is no more than there is.
  text = onDevice(kTiles +
                  "results (m: 2 over 8, n: 4 over 8) { tile k by 8 pack A (m: 16) on workgroup " +
                  kBound + "}");
  EXPECT_TRUE(has(text, "bound n_left = min(4, n0_size - tx1 * 4)")) << text;
  EXPECT_FALSE(has(text, "bound m_left")) << text;
}

TEST(Registers, SaysWhyNot) {
  const std::string results = kTiles + "results (m: 2 over 8, n: 4 over 8) ";
  const std::vector<std::array<std::string, 3>> wrong = {
      {kProduct, "results (m: 2 over 8, n: 4 over 8) { }",
       "memory is shared in a workgroup: bind one to workgroups before\n"},
      {kProduct, kTiles + "results (m: 2 over 4, n: 4 over 8) { }",
       "'m' may have more than 8 positions: bind m by 8 to workgroups before\n"},
      {kProduct, kTiles + "results (m: 2 over 8) { }",
       "results are there for each 'n', too: bind n to workgroups before\n"},
      {kProduct, kTiles + "results (m: 2, n: 4) { }",
       "how many invocations share 'm'? (m: 4 over 16)\n"},
      {kProduct, kTiles + "results (m: 1 over 16, n: 2 over 16) { }",
       "a workgroup has 128 invocations, and these would be 256\n"},
      {kProduct, kTiles + "results (m: 8 over 2, n: 16 over 2) { }",
       "more than 64 results do not stay in the registers of an invocation\n"},
      {kProduct, kTiles + "results (m: 2 over 8, k: 4 over 8) { }", "'k' is a reduction\n"},
      {kMap, results + "{ }", "results are kept while they are summed up: there is no reduction\n"},
      {kProduct, results + "{ loops }",
       "results are in the registers of invocations: bind m by 2 over 8, n by 4 over 8 to "
       "invocations before\n"},
      {kProduct, results + "{ tile m by 2 loops }",
       "results are in the registers of invocations: bind m by 2 over 8, n by 4 over 8 to "
       "invocations before\n"},
      {kProduct, results + "{ bind m by 2 over 8, n by 2 over 8 to invocations loops }",
       "results are in the registers of invocations: bind m by 2 over 8, n by 4 over 8 to "
       "invocations before\n"},
      {kProduct, kTiles + "pack A (m: 16) on workgroup",
       "the size of the panel is to be known: tile k before, by 16, say\n"},
      {kProduct, kTiles + "tile k by 8 pack A (m: 8) on workgroup",
       "the panel is to hold all: bind m by 8 to workgroups before\n"},
      {kProduct, kTiles + "tile k by 8 pack A (k: 8) on workgroup",
       "rows of a panel lie along results\n"},
      {kProduct, kTiles + "tile k by 8 pack A (n: 32) on workgroup",
       "A is packed where it has two dimensions, one along 'n': bind or tile the others by 1, or "
       "collapse them, before\n"},
      {kProduct, kTiles + "tile k by 8 pack A (m: 16) along k on workgroup",
       "'along', 'as' and 'in pieces' are for CPUs\n"},
      {kProduct, kTiles + "tile k by 8 pack A (m: 16)",
       "a device packs to the memory of a workgroup: pack A (...) on workgroup\n"},
      {kProduct, kTiles + "tile k by 256 pack A (m: 16) on workgroup (20)",
       "a workgroup has 16384 bytes of memory, and with this it would take 20480\n"},
      {kProduct,
       kTiles + "tile k by 8 pack A (m: 16) on workgroup results (m: 2 over 8, n: 4 over 8) { }",
       "what is copied to the workgroup stands in the steps of 'results'\n"},
  };
  for (const auto& [kernel, steps, why] : wrong)
    EXPECT_EQ(refused(kernel, steps, "vulkan"), why) << steps;
  EXPECT_EQ(refused(kProduct, "pack A (m: 16) on workgroup"), "x86-64-v4 has no workgroups\n");
}

}  // namespace
}  // namespace einc::strategy
