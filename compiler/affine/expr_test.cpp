// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/affine/expr.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace einc::affine {
namespace {

Expr m() { return Expr::iterator("m"); }
Expr k() { return Expr::iterator("k"); }
Expr s() { return Expr::symbol("S"); }
Expr c(int64_t value) { return Expr::constant(value); }

Expr::Lookup values(std::map<std::string, int64_t> names) {
  return [names = std::move(names)](const Atom& atom) -> std::optional<int64_t> {
    auto it = names.find(atom.name);
    return it == names.end() ? std::nullopt : std::optional(it->second);
  };
}

TEST(ExprTest, MergesEqualTermsAndDropsZeros) {
  EXPECT_EQ(m() + m(), m() * c(2));
  EXPECT_TRUE((m() - m()).isZero());
  EXPECT_EQ((m() + k()) * s(), s() * k() + m() * s());
  EXPECT_EQ((m() + k() - m()).asIterator(), "k");
}

TEST(ExprTest, PrintsInTheOrderWrittenButConstantsLast) {
  EXPECT_EQ((m() * s() + k() * c(2) - c(1)).str(), "m * S + k * 2 - 1");
  EXPECT_EQ((c(-1) + m()).str(), "m - 1");
  EXPECT_EQ((c(0) - m()).str(), "-m");
  EXPECT_EQ((m() + c(1)).floorDiv(c(2)).str(), "(m + 1) floordiv 2");
  EXPECT_EQ((m().mod(s()) * c(3)).str(), "(m mod S) * 3");
  EXPECT_EQ(c(INT64_MIN).str(), "-9223372036854775808");
  EXPECT_EQ(Expr().str(), "0");
}

TEST(ExprTest, KnowsWhatIsAffine) {
  EXPECT_TRUE((m() * s() * s() + k()).isAffine());
  EXPECT_FALSE((m() * k()).isAffine());
  EXPECT_FALSE((m() * m().floorDiv(c(2))).isAffine());
  EXPECT_FALSE(m().floorDiv(k()).isAffine());
  EXPECT_TRUE((m() + k()).floorDiv(s()).isAffine());
}

TEST(ExprTest, SplitsLinearExpressions) {
  auto linear = (m() * s() + k() + m() + s() - c(4)).asLinear();
  ASSERT_TRUE(linear);
  ASSERT_EQ(linear->parts.size(), 2u);
  EXPECT_EQ(linear->parts[0].coefficient, s() + c(1));
  EXPECT_EQ(linear->rest, s() - c(4));
  EXPECT_FALSE(m().mod(c(2)).asLinear());
  EXPECT_TRUE(s().mod(c(2)).asLinear());
}

TEST(ExprTest, KnowsTheStepAlongAnIterator) {
  Expr e = m() * s() * c(2) + k().mod(c(2)) * m() + k().floorDiv(c(3)) + c(5);
  EXPECT_EQ(e.stepAlong("m"), s() * c(2) + k().mod(c(2)));
  EXPECT_EQ(e.stepAlong("absent"), c(0));
  EXPECT_FALSE(e.stepAlong("k"));
  EXPECT_FALSE((m() * m()).stepAlong("m"));
  EXPECT_FALSE((s().floorDiv(m() + c(1)) + m()).stepAlong("m"));
}

TEST(ExprTest, FoldsDivisionsOfConstants) {
  EXPECT_EQ(c(-7).floorDiv(c(2)).asConstant(), -4);
  EXPECT_EQ(c(-7).mod(c(2)).asConstant(), 1);
  EXPECT_EQ(c(7).ceilDiv(c(2)).asConstant(), 4);
  EXPECT_EQ(m().floorDiv(c(1)), m());
  EXPECT_TRUE(m().mod(c(1)).isZero());
  EXPECT_FALSE(c(1).floorDiv(c(0)).asConstant());
}

TEST(ExprTest, OverflowIsRememberedNotComputed) {
  Expr big = c(INT64_MAX) + c(1);
  EXPECT_TRUE(big.overflowed());
  EXPECT_FALSE(big.asConstant());
  EXPECT_TRUE((m() + big).overflowed());
  EXPECT_FALSE((m() * c(INT64_MAX)).evaluate(values({{"m", 2}})));
}

TEST(ExprTest, EvaluateNeedsEveryNameAndADivisor) {
  EXPECT_FALSE((m() + k()).evaluate(values({{"m", 1}})));
  EXPECT_FALSE(m().floorDiv(s()).evaluate(values({{"m", 1}, {"S", 0}})));
  EXPECT_EQ((m() * s() - k()).evaluate(values({{"m", 3}, {"S", 4}, {"k", 2}})), 10);
}

TEST(ExprTest, SubstituteRebuilds) {
  Expr replaced = (m().floorDiv(s()) + s()).substitute([](const Atom& atom) {
    return atom.name == "S" ? std::optional(Expr::constant(1)) : std::nullopt;
  });
  EXPECT_EQ(replaced, m() + c(1));
}

// Building commutes with evaluating: random expressions, against plain arithmetic.
TEST(ExprTest, RandomExpressionsEvaluateLikeArithmetic) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    std::map<std::string, int64_t> names = {{"m", static_cast<int64_t>(random() % 19) - 9},
                                            {"k", static_cast<int64_t>(random() % 19) - 9},
                                            {"S", static_cast<int64_t>(random() % 19) - 9}};
    Expr expr = m();
    int64_t expected = names["m"];
    for (int step = 0; step < 6; ++step) {
      int64_t number = static_cast<int64_t>(random() % 11) - 5;
      const char* name = random() % 2 ? "k" : "S";
      Expr atom = name[0] == 'k' ? k() : s();
      switch (random() % 5) {
        case 0:
          expr = expr + atom * c(number), expected += names[name] * number;
          break;
        case 1:
          expr = expr - c(number), expected -= number;
          break;
        case 2:
          expr = expr * c(number), expected *= number;
          break;
        case 3:
          if (number == 0) break;
          expr = expr.floorDiv(c(number)), expected = *floorDivide(expected, number);
          break;
        default:
          if (number == 0) break;
          expr = expr.mod(c(number)), expected = *floorModulo(expected, number);
      }
    }
    EXPECT_EQ(expr.evaluate(values(names)), expected) << expr.str();
  }
}

TEST(DivisionTest, RoundsDown) {
  for (int64_t a = -20; a <= 20; ++a)
    for (int64_t b : {-7, -3, -1, 1, 2, 5}) {
      int64_t quotient = *floorDivide(a, b), rest = *floorModulo(a, b);
      EXPECT_EQ(quotient * b + rest, a);
      EXPECT_TRUE(rest == 0 || (rest < 0) == (b < 0));
      EXPECT_LT(std::abs(rest), std::abs(b));
    }
  EXPECT_FALSE(floorDivide(INT64_MIN, -1));
  EXPECT_EQ(floorModulo(INT64_MIN, -1), 0);
  EXPECT_FALSE(floorModulo(1, 0));
}

// What constants come to is refused where it has no value in 64 bits, and is not left to be
// computed.
TEST(DivisionTest, WhatMovesInAQuotient) {
  const auto quotient = (m() * c(8) + k() * c(16) + c(11)).floorDiv(c(32)).quotientAlong("m");
  ASSERT_TRUE(quotient);
  EXPECT_EQ(quotient->dividend, m() + k() * c(2) + c(1));
  EXPECT_EQ(quotient->divisor, 4);
  EXPECT_FALSE((m() * c(8) + k()).floorDiv(c(32)).quotientAlong("m"));
  EXPECT_FALSE((m() * c(8)).floorDiv(c(36)).quotientAlong("m"));
  EXPECT_FALSE((m() * c(8)).floorDiv(c(8)).quotientAlong("m"));
}

TEST(DivisionTest, QuotientsOfConstantsOverflow) {
  EXPECT_TRUE(c(INT64_MIN).floorDiv(c(-1)).overflowed());
  EXPECT_TRUE((m() + c(INT64_MIN).floorDiv(c(-1))).overflowed());
  EXPECT_TRUE(c(INT64_MAX).ceilDiv(c(1)).asConstant() == INT64_MAX);
  EXPECT_TRUE((-c(INT64_MIN)).overflowed());
  EXPECT_FALSE(c(1).floorDiv(c(0)).overflowed());  // it has no value, and says so itself
  auto replaced = m().floorDiv(s()).substitute([](const Atom& atom) {
    return std::optional(Expr::constant(atom.name == "S" ? -1 : INT64_MIN));
  });
  EXPECT_TRUE(replaced.overflowed());
}

TEST(Expr, ConstantsAreAsTheyAreWritten) {
  for (int64_t value : {INT64_MIN, int64_t{-17}, int64_t{-16}, int64_t{-1}, int64_t{0}, int64_t{1},
                        int64_t{256}, int64_t{257}, INT64_MAX}) {
    EXPECT_EQ(Expr::constant(value).asConstant(), value);
    EXPECT_EQ(Expr::constant(value).isZero(), value == 0);
  }
}

TEST(Expr, FactorsBeforeAndBehindTheOneThatIsReplacedStay) {
  const Expr a = Expr::symbol("a"), b = Expr::symbol("b"), c = Expr::symbol("c");
  const Expr of = Expr::constant(3) * a * b * c + a + Expr::constant(2);
  for (const char* name : {"a", "b", "c"}) {
    const Expr by = Expr::symbol("x") + Expr::constant(1);
    auto value = [](const Expr& e, int64_t x, const char* at) {
      return e.evaluate([&](const Atom& atom) -> std::optional<int64_t> {
        return atom.name == "x" ? x : atom.name == at ? x + 1 : atom.name[0] - 'a' + 5;
      });
    };
    const Expr done = of.substitute(
        [&](const Atom& atom) { return atom.name == name ? std::optional(by) : std::nullopt; });
    EXPECT_FALSE(done == of);
    EXPECT_EQ(value(done, 7, ""), value(of, 7, name)) << name;
  }
  const Expr half = a.floorDiv(b);
  const Expr gone =
      (half - a).substitute([](const Atom&) { return std::optional(Expr::constant(1)); });
  EXPECT_TRUE(gone.isZero()) << gone.str();
}

}  // namespace
}  // namespace einc::affine
