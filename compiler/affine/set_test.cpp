// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/affine/set.h"

#include "gtest/gtest.h"

namespace einc::affine {
namespace {

Expr n(const char* name) { return Expr::symbol(name); }
Expr c(int64_t value) { return Expr::constant(value); }

// 0 <= name < size
std::vector<Constraint> range(const char* name, const Expr& size) {
  return {{n(name)}, {size - n(name) - c(1)}};
}

std::vector<Constraint> operator+(std::vector<Constraint> a, const std::vector<Constraint>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Set, TellsConditions) {
  // ow + kw reaches W or beyond.
  Set outside({"ow", "kw"}, range("ow", n("OW")) + range("kw", n("KW")) +
                                std::vector<Constraint>{{n("ow") + n("kw") - n("W")}});
  Set context({}, {{n("OW") - c(1)}, {n("KW") - c(1)}});
  EXPECT_EQ(outside.parametersWithout().given(context).str(), "W >= OW + KW - 1");
  EXPECT_EQ(outside.parametersWithout().isUniverse(), false);
}

TEST(Set, SolvesWhatIntervalsCannot) {
  // i - j for i = j is 0, whatever they are.
  Set set({"i", "j"},
          range("i", n("N")) + range("j", n("N")) +
              std::vector<Constraint>{{n("i") - n("j"), true}, {n("i") - n("j") - c(1)}});
  EXPECT_EQ(set.isEmpty(), true);
  // 4 m + k over k < 4: every number below 4 M, and no gap.
  Set written({"d", "m", "k"},
              range("m", n("M")) + range("k", c(4)) +
                  std::vector<Constraint>{{n("d") - c(4) * n("m") - n("k"), true}});
  Set whole({"d"}, range("d", c(4) * n("M")));
  EXPECT_EQ((whole - written.project(1)).isEmpty(), true);
  EXPECT_EQ((written.project(1) - whole).isEmpty(), true);
}

TEST(Set, KnowsDivisions) {
  Expr i = Expr::iterator("i");
  Set set({"i"}, {{Expr::iterator("i")},
                  {c(9) - i},
                  {i.mod(c(4)) - c(3), true},
                  {i.floorDiv(c(4)) - c(1), true}});
  EXPECT_EQ(str(set.sample().dims), "i = 7");
}

TEST(Set, FindsBoxes) {
  Set set({"a", "b"},
          range("a", c(8)) + std::vector<Constraint>{{n("b") - n("K")}, {n("L") - n("b")}});
  auto box = set.asBox();
  ASSERT_TRUE(box);
  EXPECT_EQ((*box)[0].low, c(0));
  EXPECT_EQ((*box)[0].high, c(8));
  EXPECT_EQ((*box)[1].low.str(), "K");
  EXPECT_EQ((*box)[1].high.str(), "L + 1");
  Set triangle({"a", "b"}, range("a", c(8)) + range("b", n("a")));
  EXPECT_FALSE(triangle.asBox());
  Set even({"a"},
           range("a", c(8)) + std::vector<Constraint>{{Expr::iterator("a").mod(c(2)), true}});
  EXPECT_FALSE(even.asBox());
}

TEST(Set, AnyNameWillDo) {
  Set set(
      {"mod"},
      {{n("mod") - n("strides[0]")}, {n("strides[0]") - n("exists") - c(2)}, {c(5) - n("mod")}});
  EXPECT_TRUE(set.isKnown());
  EXPECT_EQ(set.project(0).str(), "strides[0] <= 5 and strides[0] >= exists + 2");
}

TEST(Set, WhatIsNotAffineIsUnknown) {
  EXPECT_FALSE(Set({"i"}, {{n("i") * n("s")}}).isKnown());
  EXPECT_FALSE(Set({"i"}, {{n("i").floorDiv(n("s"))}}).isKnown());
  Set unknown({"i"}, {{n("i") * n("i")}});
  EXPECT_FALSE((unknown & Set({"i"}, {})).isKnown());
  EXPECT_FALSE(unknown.isEmpty());
  EXPECT_EQ(unknown.str(), "unknown");
  EXPECT_FALSE(unknown.project(0).isKnown());
}

TEST(Set, WorkIsBounded) {
  // A set over 40 dimensions whose complement would take forever.
  std::vector<std::string> dims;
  std::vector<Constraint> constraints;
  for (int i = 0; i < 40; ++i) {
    dims.push_back("i" + std::to_string(i));
    constraints.push_back({Expr::iterator(dims.back()).mod(c(2 + i)) - n("N").mod(c(3 + i))});
  }
  Set set(dims, constraints);
  set.parametersWithout().isUniverse();
  EXPECT_EQ(Set({"i"}, {{n("i")}}).isEmpty(), false) << "the next question has an answer again";
}

}  // namespace
}  // namespace einc::affine
