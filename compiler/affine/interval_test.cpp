// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/affine/interval.h"

#include <gtest/gtest.h>

namespace einc::affine {
namespace {

Interval lookup(const Atom& atom) {
  if (atom.name == "m") return {0, 7};
  if (atom.name == "k") return {0, 2};
  if (atom.name == "S") return Interval::point(3);
  return {};
}

TEST(IntervalTest, LinearExpressionsAreExact) {
  Expr m = Expr::iterator("m"), k = Expr::iterator("k"), s = Expr::symbol("S");
  EXPECT_EQ(intervalOf(m * s + k - Expr::constant(1), lookup), (Interval{-1, 22}));
  EXPECT_EQ(intervalOf(s - m, lookup), (Interval{-4, 3}));
}

TEST(IntervalTest, DivisionsHoldEveryValue) {
  for (int64_t divisor : {-3, -1, 1, 2, 5})
    for (bool modulo : {false, true}) {
      Expr dividend = Expr::iterator("m") * Expr::constant(3) - Expr::constant(10);
      Expr expr = modulo ? dividend.mod(Expr::constant(divisor))
                         : dividend.floorDiv(Expr::constant(divisor));
      Interval interval = intervalOf(expr, lookup);
      for (int64_t m = 0; m <= 7; ++m) {
        auto value = expr.evaluate([&](const Atom&) { return std::optional(m); });
        EXPECT_TRUE(interval.contains(*value)) << expr.str() << " " << interval.str();
      }
    }
}

// As generated checks do (range_floormod), so that all engines accept the same calls.
TEST(IntervalTest, RemaindersWithinOnePeriodAreExact) {
  EXPECT_EQ(mod(Interval::point(2), Interval::point(2)), Interval::point(0));
  EXPECT_EQ(mod(Interval{5, 6}, Interval::point(4)), (Interval{1, 2}));
  EXPECT_EQ(mod(Interval{-6, -5}, Interval::point(4)), (Interval{2, 3}));
  EXPECT_EQ(mod(Interval{5, 6}, Interval::point(-4)), (Interval{-3, -2}));
  EXPECT_EQ(mod(Interval{3, 4}, Interval::point(4)), (Interval{0, 3}));
  EXPECT_EQ(mod(Interval{5, 6}, Interval{4, 5}), (Interval{0, 4}));
}

TEST(IntervalTest, UnknownNamesAndOverflowAreUnbounded) {
  EXPECT_EQ(intervalOf(Expr::symbol("X"), lookup), Interval{});
  Expr huge = Expr::iterator("m") * Expr::constant(INT64_MAX);
  EXPECT_EQ(intervalOf(huge, lookup), (Interval{0, std::nullopt}));
  EXPECT_EQ(floorDiv(Interval{0, 4}, Interval{0, 1}), Interval{});
}

TEST(IntervalTest, Prints) {
  EXPECT_EQ((Interval{0, 7}).str(), "[0, 7]");
  EXPECT_EQ((Interval{-1, std::nullopt}).str(), "[-1, ...]");
}

}  // namespace
}  // namespace einc::affine
