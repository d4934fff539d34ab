// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/affine/interval.h"

#include <gtest/gtest.h>

#include <algorithm>

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

// Indices whose interval is wider than what they take, or is not, against every position.
TEST(IntervalTest, ExactIntervalsAreWhatIsTaken) {
  Expr m = Expr::iterator("m"), k = Expr::iterator("k"), s = Expr::symbol("S");
  Expr one = Expr::constant(1), two = Expr::constant(2), four = Expr::constant(4);
  auto at = [&](const Expr& index, int64_t i, int64_t j) {
    return *index.evaluate([&](const Atom& atom) -> std::optional<int64_t> {
      return atom.name == "m" ? i : atom.name == "k" ? j : 3;
    });
  };
  size_t exact = 0, count = 0;
  for (const Expr& x : {m, m * two, m * s - m, -m + k, m * four + k, m + k * s - one})
    for (const Expr& divisor : {two, four, s, s - four, -two, Expr::constant(100)})
      for (const Expr& index :
           {x.floorDiv(divisor), x.mod(divisor), x - x.floorDiv(divisor) * divisor,
            x.floorDiv(divisor) + m.mod(two), x.mod(divisor).floorDiv(two) * s - k,
            (x.floorDiv(divisor) * two + k).mod(four), x * s + k - x, x - x}) {
        Interval taken = Interval::point(at(index, 0, 0));
        for (int64_t i = 0; i <= 7; ++i)
          for (int64_t j = 0; j <= 2; ++j)
            taken = {std::min(*taken.low, at(index, i, j)), std::max(*taken.high, at(index, i, j))};
        EXPECT_EQ(exactIntervalOf(index, lookup), taken) << index.str();
        if (hasExactInterval(index)) EXPECT_EQ(intervalOf(index, lookup), taken) << index.str();
        exact += hasExactInterval(index);
        ++count;
      }
  EXPECT_GT(exact, count / 8);
  EXPECT_LT(exact, count / 2);
}

// Far apart as the positions are, few of them are looked at.
TEST(IntervalTest, ExactIntervalsOfManyPositionsTakeNoTime) {
  Expr m = Expr::iterator("m"), two = Expr::constant(2), three = Expr::constant(3);
  auto far = [](const Atom&) { return Interval{0, int64_t{1} << 50}; };
  EXPECT_EQ(exactIntervalOf(m - m.floorDiv(two) * two, far), (Interval{0, 1}));
  EXPECT_EQ(exactIntervalOf((m * two).mod(three) - m.mod(two), far), (Interval{-1, 2}));
}

TEST(IntervalTest, Prints) {
  EXPECT_EQ((Interval{0, 7}).str(), "[0, 7]");
  EXPECT_EQ((Interval{-1, std::nullopt}).str(), "[-1, ...]");
}

}  // namespace
}  // namespace einc::affine
