// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/within.h"

#include <gtest/gtest.h>

namespace einc::facts {
namespace {

using affine::Expr;

Expr iterator(const char* name) { return Expr::iterator(name); }
Expr symbol(const char* name) { return Expr::symbol(name); }
Expr constant(int64_t value) { return Expr::constant(value); }

const ir::Kernel& noKernel() {
  static const ir::Kernel kernel;
  return kernel;
}

// Rows from m0 and terms from k0 on.
const std::vector<Span>& tile() {
  static const std::vector<Span> spans = {{"m", symbol("m0"), constant(8)},
                                          {"k", symbol("k0"), symbol("KC")}};
  return spans;
}

std::string text(const std::vector<ir::Condition>& conditions) {
  std::string result;
  for (const ir::Condition& c : conditions) {
    EXPECT_EQ(c.kind, ir::Condition::Kind::LessEqual);
    result += c.left.str() + " <= " + c.right.str() + "; ";
  }
  return result;
}
std::string text(const std::vector<Expr>& exprs) {
  std::string result;
  for (const Expr& e : exprs) result += e.str() + "; ";
  return result;
}

TEST(Within, WhenAllAndWhenSomeIsInside) {
  const Signs signs(noKernel());
  const ir::Guard triangle{{iterator("m") - iterator("k")}, {}};
  const auto all = allInsideIf(signs, triangle, tile());
  ASSERT_TRUE(all);
  EXPECT_EQ(text(*all), "0 <= m0 - k0 - KC + 1; ");
  EXPECT_EQ(text(anyInsideOnlyIf(signs, triangle, tile())), "0 <= m0 - k0 + 7; ");
}

TEST(Within, WhatIsNotLinearTellsNothing) {
  const Signs signs(noKernel());
  const Expr digits = iterator("m").floorDiv(constant(3)) - iterator("k");
  const ir::Guard guard{{digits, iterator("m")}, {}};
  EXPECT_FALSE(allInsideIf(signs, guard, tile()));
  EXPECT_EQ(text(anyInsideOnlyIf(signs, guard, tile())), "0 <= m0 + 7; ");
  const ir::Guard element{{}, {ir::makeLiteral(ir::ScalarType::Bool, {0.0, 1})}};
  EXPECT_FALSE(allInsideIf(signs, element, tile()));
}

TEST(Within, HowFarAnIteratorRuns) {
  const Signs signs(noKernel());
  // A band: 2 * k <= m, and m <= k + 5.
  const ir::Guard band{
      {iterator("m") - iterator("k") * constant(2), iterator("k") + constant(5) - iterator("m")},
      {}};
  const EndsIn ends = endsIn(signs, band, "k", tile());
  EXPECT_EQ(text(ends.some.below), "(m0 + 7) floordiv 2 + 1; ");
  EXPECT_EQ(text(ends.all.below), "m0 floordiv 2 + 1; ");
  EXPECT_EQ(text(ends.some.from), "m0 - 5; ");
  EXPECT_EQ(text(ends.all.from), "m0 + 2; ");
  EXPECT_TRUE(endsIn(signs, band, "x", tile()).some.below.empty());
}

// By trial: what is said of a tile is so for its positions, and is all that there is to say.
TEST(Within, SaysWhatPositionsSay) {
  const Signs signs(noKernel());
  for (int a : {-2, -1, 0, 1, 3})
    for (int b : {-3, -1, 1, 2})
      for (int c : {-4, 0, 5}) {
        const Expr e = iterator("m") * constant(a) + iterator("k") * constant(b) + constant(c);
        const std::vector<Span> spans = {{"m", constant(2), constant(3)},
                                         {"k", constant(1), constant(4)}};
        const EndsIn ends = endsIn(signs, {{e}, {}}, "k", spans);
        for (int k = 0; k < 12; ++k) {
          auto holdsAt = [&](int m) { return a * m + b * k + c >= 0; };
          auto isWithin = [&](const Limits& limits) {
            bool within = true;
            for (const Expr& from : limits.from) within &= k >= *from.asConstant();
            for (const Expr& below : limits.below) within &= k < *below.asConstant();
            return within;
          };
          EXPECT_EQ(isWithin(ends.some), holdsAt(2) || holdsAt(3) || holdsAt(4)) << e.str();
          EXPECT_EQ(isWithin(ends.all), holdsAt(2) && holdsAt(3) && holdsAt(4)) << e.str();
        }
      }
}

}  // namespace
}  // namespace einc::facts
