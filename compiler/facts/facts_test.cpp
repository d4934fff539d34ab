// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/facts.h"

#include <gtest/gtest.h>

#include "compiler/facts/ends.h"
#include "compiler/ir/test_text.h"

namespace einc::facts {
namespace {

using affine::Expr;
using Kind = ir::Condition::Kind;

Expr constant(int64_t n) { return Expr::constant(n); }
Expr symbol(const std::string& name) { return Expr::symbol(name); }
Expr at(const std::string& name) { return Expr::iterator(name); }

class FactsTest : public testing::Test {
 protected:
  // A view with these dimensions, of sizes d0_size, d1_size.
  unsigned view(unsigned base, const std::vector<std::string>& dims, std::vector<Expr> map,
                ir::ValueRef pad = nullptr) {
    auto id = static_cast<unsigned>(kernel_.tensors.size());
    std::vector<Expr> shape;
    for (const std::string& dim : dims) shape.push_back(symbol(dim + "_size"));
    kernel_.tensors.push_back({"V", ir::ScalarType::F32, std::move(shape), ir::Role::View});
    facts_.enter(ir::View{id, base, dims, std::move(map), std::move(pad)});
    return id;
  }
  void tile(const std::string& var, const Expr& extent, int64_t step) {
    facts_.enter(ir::TileLoop{
        var, var + "_size", extent, constant(step), ir::IteratorKind::Parallel, {}, {}});
  }
  static ir::Condition equal(Expr left, Expr right) {
    return {Kind::Equal, std::move(left), std::move(right)};
  }
  static ir::Condition unit(unsigned tensor, unsigned dim) {
    return {Kind::Unit, {}, {}, tensor, dim};
  }

  // %A and %C are tensors 0 and 1, %L, which is in memory row by row, tensor 2.
  ir::Kernel kernel_ = ir::test::goodKernel(
      "kernel @f(%A: tensor<M x N x f32>) -> (%C: tensor<M x N x f32>)"
      " level tensors { local %L: tensor<M x N x f32>"
      " op (m: parallel, n: parallel) ins(%A[m, n]) outs(%L[m, n]) { (a, l) -> a }"
      " op (m: parallel, n: parallel) ins(%L[m, n]) outs(%C[m, n]) { (l, c) -> l } }");
  Facts facts_{kernel_};
};

TEST_F(FactsTest, ViewsLeadToWhatHasMemory) {
  unsigned part = view(0, {"i", "j"}, {symbol("m0") + at("i"), at("j")});
  unsigned column = view(part, {"i"}, {at("i"), constant(3)});
  EXPECT_EQ(facts_.rootOf(column), 0u);
  EXPECT_EQ(facts_.rootIndex(column, {at("x")}), (Index{at("x") + symbol("m0"), constant(3)}));
  EXPECT_EQ(facts_.rootDim(part, 1), std::pair(0u, 1u));
  EXPECT_EQ(facts_.rootDim(column, 0), std::pair(0u, 0u));
  EXPECT_EQ(facts_.viewOf(0), nullptr);
}

TEST_F(FactsTest, QuotientsOfZeroAreZero) {
  unsigned line = view(0, {"i"}, {at("i").floorDiv(symbol("N")), at("i").mod(symbol("N"))});
  EXPECT_EQ(facts_.rootIndex(line, {Expr()}), (Index{Expr(), Expr()}));
}

// What goes on otherwise within its parts has no seams alone; nor is anything a neighbour along what moves nothing.
TEST_F(FactsTest, SeamsAreOfStraightParts) {
  unsigned wraps = view(0, {"i", "j"}, {at("i"), at("j").mod(symbol("N"))});
  unsigned line = view(wraps, {"k"}, {at("k").floorDiv(symbol("M")), at("k").mod(symbol("M"))});
  EXPECT_EQ(facts_.unit(line, 0).kind, Unit::Kind::Never);
  EXPECT_EQ(facts_.unit(wraps, 1).kind, Unit::Kind::Never) << "half of a quotient and a rest";
  unsigned still = view(0, {"i", "j", "k"}, {at("i"), at("j")});
  facts_.assume(unit(still, 2));
  EXPECT_NE(facts_.holds(unit(still, 2)), true);
}

// Of what stands for two dimensions, in a tile of tiles.
TEST_F(FactsTest, QuotientsAreBelowTheirSizes) {
  const Expr all = symbol("M") * symbol("N");
  const auto parallel = ir::IteratorKind::Parallel;
  facts_.enter(ir::Stmt{ir::TileLoop{"i0", "i0s", all, constant(64), parallel, {}, {}}});
  facts_.enter(ir::Stmt{ir::TileLoop{"i1", "i1s", symbol("i0s"), constant(8), parallel, {}, {}}});
  facts_.enter(ir::Stmt{ir::For{"i", symbol("i1s"), parallel, {}}});
  const Expr i = at("i0") + at("i1") + at("i");
  EXPECT_TRUE(facts_.isBelow(i.floorDiv(symbol("N")), symbol("M")));
  EXPECT_TRUE(facts_.isBelow(i.mod(symbol("N")), symbol("N")));
  EXPECT_FALSE(facts_.isBelow(i.floorDiv(symbol("N")), symbol("N")));
  EXPECT_FALSE(facts_.isBelow(i.mod(symbol("N")), symbol("M")));
  EXPECT_FALSE(facts_.isBelow((i + constant(1)).floorDiv(symbol("N")), symbol("M")));
  const Expr j = at("i0") + at("j");
  EXPECT_FALSE(facts_.isBelow(j, all));
  facts_.assumeBelow(at("j"), symbol("i0s"));
  EXPECT_TRUE(facts_.isBelow(j, all));
}

TEST_F(FactsTest, PadsAreFoundBelowAView) {
  ir::ValueRef zero = ir::makeLiteral(ir::ScalarType::F32, {});
  unsigned padded = view(0, {"i", "j"}, {at("i") - constant(1), at("j")}, zero);
  unsigned part = view(padded, {"i", "j"}, {at("i"), at("j") + constant(2)});
  EXPECT_EQ(facts_.padOf(part), zero);
  EXPECT_EQ(facts_.padOf(0), nullptr);
  EXPECT_FALSE(facts_.resolve(part, {at("i"), at("j")}));
  std::vector<Views::Within> inside;
  auto place = facts_.resolve(part, {at("i"), at("j")}, &inside);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->index[0], at("i") - constant(1));
  EXPECT_EQ(inside.size(), 2u);
}

TEST_F(FactsTest, WhatSaysThatNeighboursAreNeighbours) {
  EXPECT_EQ(facts_.unit(2, 1).kind, Unit::Kind::Always);
  EXPECT_EQ(facts_.unit(2, 0).kind, Unit::Kind::Never);
  unsigned part = view(0, {"i", "j"}, {at("j"), symbol("n0") + at("i")});
  const Unit asked = facts_.unit(part, 0);
  EXPECT_EQ(asked.kind, Unit::Kind::Stride);
  EXPECT_EQ(std::pair(asked.tensor, asked.dim), std::pair(0u, 1u));
  unsigned diagonal = view(0, {"i"}, {at("i"), at("i")});
  EXPECT_EQ(facts_.unit(diagonal, 0).kind, Unit::Kind::Never);
  unsigned line = view(0, {"i"}, {at("i").floorDiv(symbol("N")), at("i").mod(symbol("N"))});
  unsigned some = view(line, {"i"}, {symbol("i0") + at("i")});
  EXPECT_EQ(facts_.unit(some, 0).kind, Unit::Kind::Seams);
  EXPECT_EQ(facts_.unit(some, 0).tensor, line);
  EXPECT_EQ(Views::seams(*facts_.viewOf(line)), (std::vector{constant(1), symbol("N")}));
  facts_.enter(ir::Offsets{some, 0, 2});
  EXPECT_EQ(facts_.unit(some, 0).kind, Unit::Kind::Table);
  EXPECT_FALSE(facts_.rootDim(some, 0));
}

TEST_F(FactsTest, AConditionOnAViewIsOneOnItsBase) {
  unsigned part = view(0, {"i", "j"}, {at("i"), symbol("n0") + at("j")});
  EXPECT_EQ(facts_.holds(unit(part, 1)), std::nullopt);
  Facts before = facts_;
  facts_.assume(unit(part, 1));
  EXPECT_EQ(facts_.holds(unit(part, 1)), true);
  EXPECT_TRUE(facts_.isUnit(0, 1));
  EXPECT_FALSE(before.isUnit(0, 1));
  facts_ = before;
  facts_.promiseContiguous();
  EXPECT_TRUE(facts_.isUnit(part, 1));
  EXPECT_FALSE(facts_.isUnit(part, 0));
}

TEST_F(FactsTest, StepsFromPositionToPosition) {
  unsigned line = view(0, {"i"}, {at("i").floorDiv(symbol("N")), at("i").mod(symbol("N"))});
  EXPECT_TRUE(facts_.isLinear(0, {at("m"), constant(2) * at("n")}, "n"));
  EXPECT_FALSE(facts_.isLinear(line, {at("n")}, "n"));
  EXPECT_EQ(facts_.dimAlong(0, {at("m"), at("m") + at("n")}, "n"), 1u);
  EXPECT_EQ(facts_.dimAlong(0, {at("m"), at("m") + at("n")}, "m"), std::nullopt);
  facts_.assume(unit(line, 0));
  EXPECT_TRUE(facts_.isRun(line, 0));
  EXPECT_TRUE(facts_.isLinear(line, {at("n")}, "n"));
}

TEST_F(FactsTest, EvenDimensionsGoOnAlongTheInnermostOne) {
  const Expr N = symbol("N"), first = symbol("i0") + at("x");
  unsigned line = view(0, {"i"}, {at("i").floorDiv(N), at("i").mod(N)});
  unsigned part = view(line, {"i"}, {symbol("i0") + at("i")});
  EXPECT_EQ(facts_.addressOf(part, {at("x")}).index, (Index{first.floorDiv(N), first.mod(N)}));
  EXPECT_FALSE(facts_.isLinear(part, {at("x")}, "x"));
  facts_.assume({Kind::Even, {}, {}, part, 0});
  const Address address = facts_.addressOf(part, {at("x")});
  EXPECT_EQ(address.index, (Index{Expr(), first}));
  EXPECT_TRUE(address.parts.empty());
  EXPECT_TRUE(facts_.isLinear(part, {at("x")}, "x"));
  EXPECT_FALSE(facts_.isUnit(part, 0)) << "neighbours may be far apart";
  EXPECT_EQ(facts_.rootIndex(part, {at("x")}), (Index{first.floorDiv(N), first.mod(N)}))
      << "elements are where they are";
  unsigned own = view(2, {"i"}, {at("i").floorDiv(N), at("i").mod(N)});
  EXPECT_EQ(facts_.addressOf(own, {at("x")}).index, (Index{Expr(), at("x")}))
      << "of a local no condition needs to say it";
  EXPECT_EQ(facts_.holds({Kind::Even, {}, {}, own, 0}), true);
}

TEST_F(FactsTest, AddressesCountOnFromAnElement) {
  unsigned line = view(0, {"i"}, {at("i").floorDiv(symbol("N")), at("i").mod(symbol("N"))});
  unsigned part = view(line, {"i"}, {symbol("i0") + at("i")});
  unsigned rows = view(0, {"r", "j"}, {at("r").mod(symbol("M")), symbol("n0") + at("j")});
  const Expr first = symbol("i0") + at("x");
  EXPECT_EQ(facts_.addressOf(part, {at("x")}).index,
            (Index{first.floorDiv(symbol("N")), first.mod(symbol("N"))}));
  facts_.assume(unit(part, 0));
  Address address = facts_.addressOf(part, {at("x")});
  EXPECT_EQ(address.root, 0u);
  EXPECT_EQ(address.index, Index(2));
  EXPECT_EQ(address.parts, (std::vector<Address::Part>{{std::nullopt, first}}));
  facts_.enter(ir::Offsets{rows, 0, 5});
  address = facts_.addressOf(rows, {at("x"), at("y")});
  EXPECT_EQ(address.index, (Index{Expr(), symbol("n0") + at("y")}));
  EXPECT_EQ(address.parts, (std::vector<Address::Part>{{5, at("x")}}));
}

TEST_F(FactsTest, PartsOfWords) {
  kernel_.tensors[0].type = ir::ScalarType::I4;
  kernel_.tensors[0].shape = {symbol("M"), symbol("N").floorDiv(constant(8)) * constant(8)};
  Facts facts(kernel_);
  const Index third = {at("m"), at("n") * constant(8) + constant(3)};
  facts.assume({Kind::Unit, {}, {}, 0, 1});
  EXPECT_FALSE(facts.partOfWords(0, third, "n"));  // they may begin within a byte
  facts.assume({Kind::Aligned, constant(1), {}, 0, 1});
  const auto found = facts.partOfWords(0, third, "n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->part, 3);
  EXPECT_EQ(found->index, (Index{at("m"), Expr()}));
  EXPECT_FALSE(facts.partOfWords(0, {at("m"), at("n") * constant(4)}, "n"));
  EXPECT_FALSE(facts.partOfWords(0, {at("m"), at("n") * constant(8) + at("i")}, "n"));
  kernel_.tensors[0].shape[1] = symbol("N");
  EXPECT_FALSE(facts.partOfWords(0, third, "n"));  // the last one may not be whole
}

TEST_F(FactsTest, LinesThatBeginAtMultiples) {
  tile("n", symbol("N"), 16);
  EXPECT_FALSE(facts_.isAligned(0, {at("m"), at("n") + at("i")}, 4, "i"));
  facts_.assume({Kind::Aligned, constant(64), {}, 0, 1});
  EXPECT_TRUE(facts_.isAligned(0, {at("m"), at("n") + at("i")}, 16, "i"));
  EXPECT_FALSE(facts_.isAligned(0, {at("m"), at("n") + at("i")}, 32, "i"));
  EXPECT_FALSE(facts_.isAligned(0, {at("m"), at("n") + at("i") + constant(1)}, 4, "i"));
}

TEST_F(FactsTest, PositionsBelowSizes) {
  facts_.enter(ir::For{"k", symbol("N"), ir::IteratorKind::Parallel, {}});
  EXPECT_TRUE(facts_.isBelow(at("k"), symbol("N")));
  EXPECT_FALSE(facts_.isBelow(at("k") + constant(1), symbol("N")));
  tile("m", symbol("M"), 8);
  EXPECT_TRUE(facts_.isBelow(at("m"), symbol("M")));
  EXPECT_FALSE(facts_.isBelow(at("m") + constant(7), symbol("M")));
  // A loop inside that runs to the tile's size.
  facts_.enter(ir::For{"i", symbol("m_size"), ir::IteratorKind::Parallel, {}});
  EXPECT_TRUE(facts_.isBelow(at("m") + at("i"), symbol("M")));
  facts_.assume(equal(symbol("m_size"), constant(8)));
  EXPECT_TRUE(facts_.isBelow(at("m") + constant(7), symbol("M")));
  EXPECT_TRUE(facts_.isBelow(at("i").mod(constant(4)), constant(4)));
  EXPECT_TRUE(facts_.isBelow(constant(-1), constant(0)));
}

TEST_F(FactsTest, SizesAboveNumbers) {
  const ir::Condition most{Kind::LessEqual, symbol("m_size"), constant(16)};
  facts_.assumeNot({most, equal(symbol("N"), constant(3))});  // it may be the other
  EXPECT_FALSE(facts_.isAbove(symbol("m_size"), 16));
  facts_.assumeNot({most});
  EXPECT_TRUE(facts_.isAbove(symbol("m_size"), 16));
  EXPECT_FALSE(facts_.isAbove(symbol("m_size"), 17));
  EXPECT_TRUE(facts_.isBelow(constant(16), symbol("m_size")));
  EXPECT_FALSE(facts_.isBelow(constant(17), symbol("m_size")));
  EXPECT_FALSE(facts_.isAbove(symbol("N"), 0));
  EXPECT_TRUE(facts_.isAbove(constant(4), 3));
  EXPECT_FALSE(facts_.isAbove(constant(4), 4));
}

TEST_F(FactsTest, ValuesOfSizes) {
  tile("m", constant(96), 8);
  EXPECT_EQ(facts_.valueOf(symbol("m_size")), 8);
  tile("m", constant(100), 8);
  EXPECT_EQ(facts_.valueOf(symbol("m_size")), std::nullopt);
  tile("m", constant(5), 8);
  EXPECT_EQ(facts_.valueOf(symbol("m_size")), 5);
  facts_.assume(equal(constant(3), symbol("N") - constant(1)));
  EXPECT_EQ(facts_.valueOf(symbol("N") - constant(1)), 3);
  EXPECT_EQ(facts_.holds({Kind::Less, symbol("m_size"), constant(6)}), true);
  EXPECT_EQ(facts_.holds({Kind::LessEqual, symbol("M"), constant(6)}), std::nullopt);
}

TEST_F(FactsTest, Multiples) {
  tile("m", symbol("M"), 24);
  EXPECT_EQ(facts_.factorOf(at("m")), 8);
  EXPECT_EQ(facts_.factorOf(at("m") + constant(4)), 4);
  EXPECT_EQ(facts_.factorOf(at("m").floorDiv(constant(4))), 2);
  EXPECT_EQ(facts_.factorOf(Expr()), 64);
}

TEST_F(FactsTest, EndsInNamesFromOutside) {
  Ends ends(kernel_);
  ends.enter(
      ir::TileLoop{"k", "k_size", symbol("N"), constant(256), ir::IteratorKind::Reduction, {}, {}});
  ends.enter(ir::For{"i", symbol("k_size"), ir::IteratorKind::Reduction, {}});
  EXPECT_EQ(ends.most(symbol("M")), symbol("M"));
  EXPECT_EQ(ends.most(symbol("k_size")), constant(256));
  EXPECT_EQ(ends.most(at("i") * symbol("M")), constant(255) * symbol("M"));
  EXPECT_EQ(ends.most(constant(10) - at("i")), constant(10));
}

}  // namespace
}  // namespace einc::facts
