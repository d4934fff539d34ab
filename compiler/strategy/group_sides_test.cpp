// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/group_sides.h"

#include <gtest/gtest.h>

#include <string>

namespace einc::strategy {
namespace {

// 4 x 16 x 2 invocations of 2 x 8 sums, in 1 turn
std::string sides(int64_t around, int64_t m, int64_t n, int64_t words = 1) {
  const auto found = groupSides(target::allDevices()[0], words, around, m, n);
  if (!found) return "none";
  return std::to_string(found->around) + " x " + std::to_string(found->rows) + " x " +
         std::to_string(found->columns) + " of " + std::to_string(found->mr) + " x " +
         std::to_string(found->nr) + ", " + std::to_string(found->turns) + ", " +
         std::to_string(found->loads());
}

TEST(GroupSides, AsSquareAsInvocationsAllow) {
  EXPECT_EQ(sides(1, 32, 32), "1 x 16 x 8 of 2 x 4, 1, 6");
  EXPECT_EQ(sides(1, 1, 64), "none");  // half of the invocations would have nothing to do
}

TEST(GroupSides, WhatStandsAroundIsSharedOutToo) {
  EXPECT_EQ(sides(4, 16, 32), "4 x 4 x 8 of 4 x 4, 1, 8");
}

TEST(GroupSides, InTurnsWhereRegistersHoldNoMore) {
  EXPECT_EQ(sides(1, 128, 128), "1 x 32 x 4 of 4 x 8, 4, 48");
}

}  // namespace
}  // namespace einc::strategy
