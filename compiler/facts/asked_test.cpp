// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/facts/asked.h"

#include <gtest/gtest.h>

#include "compiler/facts/facts.h"
#include "compiler/ir/test_text.h"

namespace einc::facts {
namespace {

using affine::Expr;
using Kind = ir::Condition::Kind;

Expr constant(int64_t n) { return Expr::constant(n); }
Expr symbol(const std::string& name) { return Expr::symbol(name); }
Expr at(const std::string& name) { return Expr::iterator(name); }
ir::Condition unit(unsigned tensor, unsigned dim) { return {Kind::Unit, {}, {}, tensor, dim}; }
ir::Condition aligned(unsigned tensor, unsigned dim, int64_t bytes) {
  return {Kind::Aligned, constant(bytes), {}, tensor, dim};
}

class AskedTest : public testing::Test {
 protected:
  unsigned view(unsigned base, const std::vector<std::string>& dims, std::vector<Expr> map) {
    auto id = static_cast<unsigned>(kernel_.tensors.size());
    std::vector<Expr> shape;
    for (const std::string& dim : dims) shape.push_back(symbol(dim + "_size"));
    kernel_.tensors.push_back({"V", ir::ScalarType::F32, std::move(shape), ir::Role::View});
    facts_.enter(ir::View{id, base, dims, std::move(map), nullptr});
    return id;
  }

  // %A and %C are tensors 0 and 1, %L, which has no strides that a call decides, tensor 2.
  ir::Kernel kernel_ = ir::test::goodKernel(
      "kernel @f(%A: tensor<M x N x f32>) -> (%C: tensor<M x N x f32>)"
      " level tensors { local %L: tensor<M x N x f32>"
      " op (m: parallel, n: parallel) ins(%A[m, n]) outs(%L[m, n]) { (a, l) -> a }"
      " op (m: parallel, n: parallel) ins(%L[m, n]) outs(%C[m, n]) { (l, c) -> l } }");
  Facts facts_{kernel_};
};

TEST_F(AskedTest, WhatIsKnownIsNotAsked) {
  EXPECT_EQ(facts_.ask(unit(2, 1)), Asked::yes());
  EXPECT_EQ(facts_.ask(unit(2, 0)), Asked::no());
  const ir::Condition five{Kind::Equal, symbol("N"), constant(5)},
      small{Kind::Less, symbol("N"), constant(8)};
  EXPECT_EQ(facts_.ask(five),
            Asked::of({Comparison{symbol("N"), Comparison::Sign::Equal, constant(5)}}));
  facts_.assume(five);
  EXPECT_EQ(facts_.ask({five, small}), Asked::yes());
  EXPECT_EQ(facts_.ask({unit(0, 1), {Kind::LessEqual, symbol("N"), constant(4)}}), Asked::no());
}

TEST_F(AskedTest, OfConditionsEachIsAskedOnce) {
  unsigned part = view(0, {"i", "j"}, {at("i"), symbol("n0") + at("j")});
  const ir::Condition most{Kind::LessEqual, symbol("M"), constant(4)};
  EXPECT_EQ(facts_.ask({unit(part, 1), most, unit(0, 1), most}),
            Asked::of({Stride{0, 1, {}},
                       Comparison{symbol("M"), Comparison::Sign::LessEqual, constant(4)}}));
}

TEST_F(AskedTest, ADimensionThatStandsForSeveralIsAskedAtItsSeams) {
  unsigned line = view(0, {"i"}, {at("i").floorDiv(symbol("N")), at("i").mod(symbol("N"))});
  unsigned some = view(line, {"i"}, {symbol("i0") + at("i")});
  const Asked seams = Asked::of({Distance{line, {Expr()}, {constant(1)}, {}},
                                 Distance{line, {symbol("N") - constant(1)}, {symbol("N")}, {}}});
  EXPECT_EQ(facts_.ask(unit(line, 0)), seams);
  EXPECT_EQ(facts_.ask(unit(some, 0)), seams) << "of all of it";
  unsigned own = view(2, {"i"}, {at("i").floorDiv(symbol("N")), at("i").mod(symbol("N"))});
  const Expr N = symbol("N"), one = constant(1);
  auto place = [&](const Expr& i) { return i.floorDiv(N) * N + i.mod(N); };
  EXPECT_EQ(facts_.ask(unit(own, 0)),
            Asked::of({Comparison{place(one), Comparison::Sign::Equal, one},
                       Comparison{place(N) - place(N - one), Comparison::Sign::Equal, one}}));
  facts_.enter(ir::Offsets{some, 0, 2});
  EXPECT_EQ(facts_.ask(unit(some, 0)), Asked::of({facts::Run{2, Expr(), symbol("i_size")}}));
}

TEST_F(AskedTest, WhetherNeighboursAreEvenIsAskedOfStrides) {
  auto even = [](unsigned tensor) { return ir::Condition{Kind::Even, {}, {}, tensor, 0}; };
  const Expr N = symbol("N"), i = at("i");
  unsigned line = view(0, {"i"}, {i.floorDiv(N), i.mod(N)});
  unsigned some = view(line, {"i"}, {symbol("i0") + i});
  EXPECT_EQ(facts_.ask(even(some)), Asked::of({Apart{0, 0, 1, N}})) << "of all of it";
  EXPECT_EQ(facts_.ask(even(0)), Asked::yes()) << "one dimension is even";
  unsigned turned = view(0, {"i"}, {i.mod(symbol("M")), i.floorDiv(symbol("M"))});
  EXPECT_EQ(facts_.ask(even(turned)), Asked::of({Apart{0, 1, 0, symbol("M")}}));
  EXPECT_EQ(facts_.ask(even(view(2, {"i"}, {i.floorDiv(N), i.mod(N)}))), Asked::yes())
      << "a local is row-major";
  EXPECT_EQ(facts_.ask(even(view(2, {"i"}, {i.mod(symbol("M")), i.floorDiv(symbol("M"))}))),
            Asked::no());
  EXPECT_EQ(facts_.ask(even(view(2, {"i"}, {i.floorDiv(constant(4)), i.mod(constant(4))}))),
            Asked::no())
      << "a part of its lines";
  EXPECT_EQ(facts_.ask(even(view(0, {"i"}, {i.floorDiv(N), Expr()}))), Asked::no());
  EXPECT_EQ(facts_.ask(even(view(0, {"i"}, {i, i}))), Asked::no());
  unsigned cube = static_cast<unsigned>(kernel_.tensors.size());
  kernel_.tensors.push_back({"B", ir::ScalarType::F32, {N, N, N}, ir::Role::Input});
  EXPECT_EQ(facts_.ask(even(view(cube, {"i"}, {i.floorDiv(N), i.mod(N), i.mod(N)}))), Asked::no())
      << "a diagonal";
  facts_.assume(even(some));
  EXPECT_EQ(facts_.ask(even(line)), Asked::yes());
}

TEST_F(AskedTest, LinesAreAskedForTheirStartAndDistances) {
  EXPECT_EQ(facts_.ask(aligned(0, 1, 64)), Asked::of({Start{0, 64}, Stride{0, 0, {16}}}));
  const Index zero(2), next = {constant(1), Expr()};
  const auto isMultiple = [](const Expr& e, int64_t by) {
    return Comparison{e.mod(constant(by)), Comparison::Sign::Equal, Expr()};
  };
  EXPECT_EQ(facts_.ask(aligned(2, 1, 16)), Asked::of({isMultiple(symbol("N"), 4)}))
      << "a local has no strides, and begins at a multiple of 64";
  EXPECT_EQ(facts_.ask(aligned(2, 1, 128)),
            Asked::of({Start{2, 128}, isMultiple(symbol("N"), 32)}));
  unsigned part = view(0, {"i", "j"}, {at("i"), symbol("n0") + at("j")});
  EXPECT_EQ(facts_.ask(aligned(part, 1, 16)),
            Asked::of({Start{part, 16}, Distance{part, zero, next, {4}}}));
  unsigned column = view(2, {"i"}, {at("i"), symbol("n0")});
  EXPECT_EQ(facts_.ask(aligned(column, 0, 16)), Asked::of({isMultiple(symbol("n0"), 4)}));
  unsigned block = view(2, {"i"}, {at("i"), constant(8)});
  EXPECT_EQ(facts_.ask(aligned(block, 0, 16)), Asked::yes());
  for (int64_t bytes : {1, 2, 4}) EXPECT_EQ(facts_.ask(aligned(0, 1, bytes)), Asked::yes());
  unsigned divided =
      view(0, {"i", "j"}, {at("i").floorDiv(symbol("N")) + at("j"), at("i").mod(symbol("N"))});
  EXPECT_EQ(facts_.ask(aligned(divided, 1, 16)), Asked::no()) << "there is no one distance";
}

}  // namespace
}  // namespace einc::facts
