// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/choice.h"

#include <gtest/gtest.h>

#include <functional>

namespace einc::bench {
namespace {

using Times = std::function<std::vector<double>(double m, double n)>;

// What is chosen from times at m and n of 4, 16, ..., 1024.
std::string chosen(const Times& times) {
  std::vector<Measured> points;
  for (int64_t m = 4; m <= 1024; m *= 4)
    for (int64_t n = 4; n <= 1024; n *= 4)
      points.push_back(
          {{{"m", m}, {"n", n}}, times(static_cast<double>(m), static_cast<double>(n))});
  return ir::rulesText(chooseRules({"cblas", "blis"}, points));
}

TEST(Choice, OneWayForAllSizes) {
  EXPECT_EQ(chosen([](double, double) { return std::vector{1.0, 1.2, 1.1}; }), "none");
  EXPECT_EQ(chosen([](double, double) { return std::vector{1.2, 1.0, 1.1}; }), "cblas");
  EXPECT_EQ(chosen([](double, double) { return std::vector{1.2, 1.1, 1.0}; }), "blis");
  // A few percent are no reason to depend on a library.
  EXPECT_EQ(chosen([](double, double) { return std::vector{1.02, 1.0, 1.0}; }), "none");
}

TEST(Choice, BoundsLieBetweenWhatWasMeasured) {
  EXPECT_EQ(chosen([](double m, double n) {
              return std::vector{m * n < 4096 ? 1.0 : 3.0, m * n < 4096 ? 2.0 : 1.0, 9.0};
            }),
            "cblas where m * n >= 2048");
  EXPECT_EQ(chosen([](double m, double) { return std::vector{m > 16 ? 1.0 : 2.0, 3.0, 1.5}; }),
            "blis where m < 32");
  // Small ones, few columns, all others.
  EXPECT_EQ(chosen([](double m, double n) {
              if (m * n < 100) return std::vector{1.0, 2.0, 2.0};
              return n < 10 ? std::vector{2.0, 2.0, 1.0} : std::vector{2.0, 1.0, 2.0};
            }),
            "blis where m * n >= 128 and n < 8 else cblas where m * n >= 128 and n >= 8");
}

TEST(Choice, NothingMeasured) {
  EXPECT_TRUE(chooseRules({"cblas"}, {}).empty());
  // An op without iterators has no sizes to look at.
  EXPECT_EQ(ir::rulesText(chooseRules({"cblas"}, {{{}, {2.0, 1.0}}})), "cblas");
}

}  // namespace
}  // namespace einc::bench
