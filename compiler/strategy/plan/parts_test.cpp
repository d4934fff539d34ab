// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Reductions in parts.
#include "compiler/strategy/plan/test_steps.h"

namespace einc::strategy {
namespace {

using test::applied;
using test::has;
using test::kChain;
using test::kMap;
using test::kSum;
using test::refused;

TEST(Apply, APartOfAReductionWaitsForNone) {
  std::string text =
      applied(kSum,
              "let width = min(8192, 4096 floordiv (m + 1) + 1) when m <= 16 and width * 2 <= n { "
              "parts n by width as share { tile share by 1 tile m by 1 tile n by 8 "
              "vectorize (n: 8) } fill { when contiguous(S_parts, m) { tile m by 16 "
              "vectorize (m: 16) } otherwise { loops } } combine { order share, m tile m by 16 "
              "vectorize (m: 16) } rest { loops } } otherwise { loops }");
  EXPECT_TRUE(has(text, "bound width = min(8192, 4096 floordiv (M + 1) + 1)")) << text;
  EXPECT_TRUE(has(text, "if M <= 16 and (width * 2) <= N {")) << text;
  EXPECT_TRUE(has(text, "alloc %S_parts: tensor<(N floordiv width) x M x f32>")) << text;
  EXPECT_TRUE(has(text, "tile share0 : share0_size = 0 .. (N floordiv width) by 1 parallel {"))
      << text;
  EXPECT_TRUE(has(text, "op (share: reduction, m: parallel)")) << text;
  EXPECT_TRUE(has(text, "if unit %S_parts[1] {")) << text;
  EXPECT_TRUE(has(text, "0 .. N by 8 reduction") || has(text, "0 .. width by 8 reduction")) << text;
}

TEST(Apply, SaysWhyThereAreNoParts) {
  const std::string lists = " as x { } fill { } combine { } rest { }";
  EXPECT_TRUE(has(refused(kSum, "parts m by 8" + lists), "is no reduction"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 0" + lists), "1 position or more"));
  EXPECT_TRUE(has(refused(kSum, "parts n by M" + lists), "1 position or more"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 8 as m { } fill { } combine { } rest { }"), "already"));
  EXPECT_TRUE(has(refused(kSum, "tile m by 8 parts n by 8" + lists), "before all tiles"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 8" + lists + " loops"), "in its lists"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 8" + lists, "x86-64-v4", true), "--fp=strict"));
  EXPECT_TRUE(has(refused(kChain, "parts m by 8" + lists), "in another order"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 8 as x { } fill { tile n by 8 } combine { } rest { }"),
                  "no iterator 'n' here; there are x, m"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 8 as x { } fill { } combine { } rest { tile x by 8 }"),
                  "no iterator 'x' here"));
  EXPECT_TRUE(has(refused(kMap, "let m = 8"), "something called 'm' already"));
  EXPECT_TRUE(has(refused(kMap, "let k = 8 + X"), "'X' here"));
  EXPECT_TRUE(has(applied(kMap, "let k = 8 tile m by k loops"), "0 .. M by k parallel"));
}

}  // namespace
}  // namespace einc::strategy
