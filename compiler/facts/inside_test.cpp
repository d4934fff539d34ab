// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/inside.h"

#include <gtest/gtest.h>

#include "compiler/ir/test_text.h"

namespace einc::facts {
namespace {

using affine::Expr;

Expr constant(int64_t n) { return Expr::constant(n); }
Expr symbol(const std::string& name) { return Expr::symbol(name); }
Expr at(const std::string& name) { return Expr::iterator(name); }
Comparison isThere(const Expr& index) { return {index, Comparison::Sign::AtLeast, Expr()}; }
Comparison isBelow(const Expr& index, const Expr& size) {
  return {index, Comparison::Sign::Less, size};
}

class InsideTest : public testing::Test {
 protected:
  // A view with a pad.
  unsigned padded(unsigned base, const std::vector<std::string>& dims, std::vector<Expr> map) {
    auto id = static_cast<unsigned>(kernel_.tensors.size());
    std::vector<Expr> shape;
    for (const std::string& dim : dims) shape.push_back(symbol(dim + "_size"));
    kernel_.tensors.push_back({"V", ir::ScalarType::F32, std::move(shape), ir::Role::View});
    facts_.enter(
        ir::View{id, base, dims, std::move(map), ir::makeLiteral(ir::ScalarType::F32, {})});
    return id;
  }

  ir::Kernel kernel_ = ir::test::goodKernel(
      "kernel @f(%A: tensor<M x N x f32>) -> (%C: tensor<M x N x f32>)"
      " level tensors {"
      " op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n]) { (a, c) -> a } }");
  Facts facts_{kernel_};
  const Expr M = symbol("M"), N = symbol("N"), m = at("m"), n = at("n"), v = at("v");
  const ir::Axis lanes_{"v", 4};
};

TEST_F(InsideTest, OfAnElementWhatIsNotKnownIsTested) {
  facts_.enter(ir::For{"m", M, ir::IteratorKind::Parallel, {}});
  EXPECT_EQ(insideTests(facts_, 0, {m, n}, Dims::Own), (Comparisons{isBelow(n, N)}));
  const Expr before = m - constant(1);
  EXPECT_EQ(insideTests(facts_, 0, {before, n}, Dims::Own),
            (Comparisons{isThere(before), isBelow(before, M), isBelow(n, N)}));
  EXPECT_TRUE(insideTests(facts_, 0, {before, n}, Dims::Padded).empty());
}

TEST_F(InsideTest, ViewsWithPadsAreTestedWhereTheirBasesEnd) {
  unsigned frame = padded(0, {"i", "j"}, {at("i") - constant(1), at("j")});
  const Expr before = m - constant(1);
  EXPECT_EQ(insideTests(facts_, frame, {m, n}, Dims::Padded),
            (Comparisons{isThere(before), isBelow(before, M), isBelow(n, N)}));
  EXPECT_EQ(insideTests(facts_, frame, {m, n}, Dims::Own),
            (Comparisons{isBelow(m, symbol("i_size")), isBelow(n, symbol("j_size"))}));
  EXPECT_EQ(insideTests(facts_, frame, {m, n}, Dims::All).size(), 5u);
}

TEST_F(InsideTest, KnownMeansAtEachPositionOfTheAxes) {
  facts_.enter(ir::TileLoop{"m", "m_size", M, constant(8), ir::IteratorKind::Parallel, {}, {}});
  facts_.assume({ir::Condition::Kind::Equal, symbol("m_size"), constant(8)});
  const Expr index = m + constant(4) * at("r");
  EXPECT_EQ(insideTests(facts_, 0, {index, Expr()}, Dims::Own, {{"r", 3}}),
            (Comparisons{isBelow(index, M), isBelow(Expr(), N)}));
  EXPECT_EQ(insideTests(facts_, 0, {index, Expr()}, Dims::Own, {{"r", 2}}),
            (Comparisons{isBelow(Expr(), N)}));
  auto isSmall = [](const Expr& e) { return *e.asConstant() < 3; };
  EXPECT_TRUE(everywhere(at("r") + at("s"), {{"r", 2}, {"s", 2}}, isSmall));
  EXPECT_FALSE(everywhere(at("r") + at("s"), {{"r", 2}, {"s", 3}}, isSmall));
}

TEST_F(InsideTest, TheAxisThatElementsAreLanesAlong) {
  const std::map<std::string, int64_t> widths = {{"v", 4}, {"w", 8}};
  EXPECT_EQ(axisIn({m, n + v}, widths), "v");
  EXPECT_EQ(axisIn({m.floorDiv(N + at("w")), v}, widths), "w");
  EXPECT_EQ(axisIn({m, n}, widths), "");
}

TEST_F(InsideTest, LanesAreTestedInTheDimensionsThatNeedIt) {
  const std::vector<LaneTest> tests =
      laneTests(facts_, 0, {m, n - constant(1) + v}, lanes_, Dims::Own);
  ASSERT_EQ(tests.size(), 2u);
  EXPECT_FALSE(tests[0].isAlong);
  EXPECT_TRUE(tests[0].areAbove());
  EXPECT_FALSE(tests[0].areBelow());
  EXPECT_TRUE(tests[1].isAlong);
  EXPECT_EQ(tests[1].above, (std::vector<bool>{false, true, true, true}));
  EXPECT_FALSE(tests[1].areAbove());
  facts_.enter(ir::For{"m", M, ir::IteratorKind::Parallel, {}});
  EXPECT_EQ(laneTests(facts_, 0, {m, n + v}, lanes_, Dims::Own).size(), 1u);
}

TEST_F(InsideTest, LanesThatAreAlikeHaveOneTest) {
  const ByLane tests = byLane(laneTests(facts_, 0, {m, v}, lanes_, Dims::Own), lanes_, true);
  EXPECT_EQ(tests.each.size(), 4u);
  const ByLane alike = byLane(laneTests(facts_, 0, {m, Expr()}, lanes_, Dims::Own), lanes_, true);
  EXPECT_TRUE(alike.each.empty());
  EXPECT_EQ(alike.all, (Comparisons{isBelow(m, M), isBelow(Expr(), N)}));
}

TEST_F(InsideTest, OfLanesThatRiseTheFirstAndTheLastTell) {
  const Index index = {m, n - constant(1) + v};
  auto lane = [&](int64_t i) { return n + constant(i - 1); };
  EXPECT_TRUE(rises(index, "v"));
  EXPECT_FALSE(rises({m, n - v}, "v"));
  EXPECT_FALSE(rises({m, symbol("S") * v}, "v"));
  const auto tests = laneTests(facts_, 0, index, lanes_, Dims::Own);
  const ByLane rising = byLane(tests, lanes_, true), any = byLane(tests, lanes_, false);
  EXPECT_EQ(rising.common, (Comparisons{isBelow(m, M)}));
  EXPECT_EQ(rising.each[0], (Comparisons{isThere(lane(0)), isBelow(lane(0), N)}));
  EXPECT_EQ(rising.each[3], (Comparisons{isBelow(lane(3), N)}));
  EXPECT_EQ(rising.all, (Comparisons{isBelow(m, M), isThere(lane(0)), isBelow(lane(3), N)}));
  EXPECT_EQ(any.all, (Comparisons{isBelow(m, M), isThere(lane(0)), isBelow(lane(0), N),
                                  isBelow(lane(1), N), isBelow(lane(2), N), isBelow(lane(3), N)}));
}

}  // namespace
}  // namespace einc::facts
