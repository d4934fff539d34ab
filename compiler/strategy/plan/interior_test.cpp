// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is read outside a tensor.
#include "compiler/strategy/plan/test_steps.h"

namespace einc::strategy {
namespace {

using test::applied;
using test::has;
using test::kMap;
using test::kWindow;
using test::refused;

TEST(Apply, NothingIsOutsideInTheInterior) {
  std::string text =
      applied(kWindow,
              "when borders(w) { interior w { tile w by 4 when w == 4 { when inside { "
              "tile c by 16 vectorize (w: 4, c: 16) } } otherwise { loops } } "
              "border { tile c by 16 vectorize (c: 16) } } otherwise { loops }");
  EXPECT_TRUE(has(text, "if 1 <= s[0] and (-268435456) <= W")) << text;
  EXPECT_TRUE(has(text, "bound w_low = min(V, -w_before)")) << text;
  EXPECT_TRUE(has(text, "0 .. (-w_without) by 4")) << text;
  EXPECT_FALSE(has(text, "0 <= ")) << "nothing is left to be tested\n" << text;
  EXPECT_TRUE(has(text, "view %B_after")) << text;

  // What may be outside elsewhere is tested once for a tile.
  text = applied(kWindow,
                 "tile w by 8 when borders(w) { tile c by 16 when inside { vectorize (c: 16) } "
                 "otherwise { loops } } otherwise { loops }");
  EXPECT_TRUE(has(text, "if 0 <= (w0 * s[0] - 1) and (w0 * s[0] + ")) << text;
}

// Of a tile that is not all inside, borders are still known.
TEST(Apply, WhatIsNotInsideHasAnInterior) {
  std::string text = applied(
      kWindow,
      "when borders(w) { when inside { tile c by 16 vectorize (c: 16) } otherwise { "
      "interior w { tile c by 16 vectorize (c: 16) } border { loops } } } otherwise { loops }");
  EXPECT_TRUE(has(text, "view %B_after")) << text;
}

TEST(Apply, NothingIsKnownToBeOutsideOfIndicesThatRunBackwards) {
  const std::string text = applied(kWindow, "when inside { loops } otherwise { loops }");
  EXPECT_TRUE(has(text, "if 1 <= s[0] and s[0] <= 268435456 and 0 <= ")) << text;
}

TEST(Apply, SaysWhyThereIsNoInterior) {
  EXPECT_TRUE(
      has(refused(kMap, "when borders(n) { } otherwise { }"), "read outside a tensor along"));
  EXPECT_TRUE(
      has(refused(kMap, "when inside { } otherwise { }"), "nothing is known to be read outside"));
  EXPECT_TRUE(has(refused(kWindow, "interior w { } border { }"), "when borders(w) { ... }"));
  EXPECT_TRUE(
      has(refused(kWindow, "when borders(w) { tile w by 4 interior w { } border { } }"), "whole"));
  EXPECT_TRUE(
      has(refused(kWindow, "when borders(w) { interior w { } border { } loops }"), "two parts"));
  EXPECT_TRUE(has(refused(kWindow, "when borders(w) { when inside { interior w { } border { } } }"),
                  "when borders(w) { ... }"));
}

}  // namespace
}  // namespace einc::strategy
