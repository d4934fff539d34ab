// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Forms that are made around others.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/strategy/forms.h"
#include "compiler/strategy/test_forms.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using test::Asked;
using test::asked;

// Where windows move by one position and have few terms, each of these is code of its own, and windows of two rows
// are done at once; how many terms there are is asked for, where it is not known.
TEST(Forms, ShortWindowsShareWhatTheyRead) {
  auto of = [](const std::string& index, const std::string& terms) {
    std::string text = R"(
    kernel @f(%A: tensor<H x W x C x f32>, %K: tensor<R x f32>) -> (%B: tensor<U x V x C x f32>) attr s: 2xi64
        level buffers {
      op (u: parallel, v: parallel, c: parallel, r: reduction, t: reduction)
          ins(%A[INDEX, c], %K[r, t] shape) outs(%B[u, v, c]) { (a, k, b) -> add(b, a) }
    })";
    text.replace(text.find("INDEX"), 5, index);
    text.replace(text.find("<R x"), 4, "<" + terms + " x");
    return asked(text.c_str(), "x86-64-v4").form.steps;
  };
  auto unrolls = [](const Steps& steps) {
    return anyStep(steps, [](const Step& step) {
      auto* vector = std::get_if<VectorizeStep>(&step.node);
      return vector && vector->unrolled == std::vector<std::string>{"r", "t"};
    });
  };
  const Steps steps = of("u * s[0] + r, v * s[1] + t", "R x T");
  ASSERT_EQ(steps.size(), 1U);
  const auto& when = std::get<WhenStep>(steps[0].node);
  const auto one = affine::Expr::constant(1);
  EXPECT_EQ(when.tests, (std::vector<strategy::Test>{
                            {strategy::Test::Kind::Equal, affine::Expr::symbol("s[0]"), one},
                            {strategy::Test::Kind::Equal, affine::Expr::symbol("s[1]"), one},
                            equals("r", 3),
                            equals("t", 3)}));
  EXPECT_TRUE(unrolls(when.then));
  EXPECT_FALSE(unrolls(when.otherwise));
  EXPECT_TRUE(anyStep(when.then, [](const Step& step) {
    auto* vector = std::get_if<VectorizeStep>(&step.node);
    return vector && vector->axes.size() == 3 && vector->axes[0] == ir::Axis{"u", 2};
  }));
  EXPECT_TRUE(unrolls(of("u + r, v + t", "5 x 5")));
  for (const char* terms : {"5 x 6", "26 x 1"}) EXPECT_FALSE(unrolls(of("u + r, v + t", terms)));
  for (const char* index : {"u * 2 + r, v * 2 + t", "u + r * H, v + t * W"})
    EXPECT_FALSE(unrolls(of(index, "3 x 3"))) << index;
}

// Short lines that follow one another are one, unless they are known to be long, or an operand has some of their iterators alone.
TEST(Forms, ShortLinesAreOne) {
  auto collapses = [](const std::string& n, const std::string& shape, const std::string& index) {
    const std::string text = "kernel @f(%A: tensor<M x " + n + " x f32>, %s: tensor<" + shape +
                             " x f32>) -> (%C: tensor<M x " + n +
                             " x f32>) level buffers { op (m: parallel, n: parallel) ins(%A[m, n], "
                             "%s[" +
                             index + "]) outs(%C[m, n]) { (a, s, c) -> mul(a, s) } }";
    const Form form = asked(text.c_str(), "x86-64-v4").form;
    auto* when = std::get_if<WhenStep>(&form.steps[0].node);
    return when && !when->then.empty() && std::holds_alternative<CollapseStep>(when->then[0].node);
  };
  EXPECT_TRUE(collapses("N", "M x N", "m, n"));
  EXPECT_TRUE(collapses("3", "M x 3", "m, n"));
  EXPECT_TRUE(collapses("1024", "M x 1024", "m, n"));
  EXPECT_FALSE(collapses("1025", "M x 1025", "m, n"));
  EXPECT_FALSE(collapses("N", "N", "n"));
  EXPECT_FALSE(collapses("N", "M", "m"));
}

// A payload may compute with where they are in the line, not with positions of one of them.
TEST(Forms, LinesHavePositions) {
  auto collapses = [](const std::string& position) {
    const std::string text =
        "kernel @f(%A: tensor<M x N x i64>) -> (%C: tensor<M x N x i64>) level buffers { op (m: "
        "parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n]) { (a, c) -> max(a, " +
        position + ") } }";
    const Form form = asked(text.c_str(), "x86-64-v4").form;
    auto* when = std::get_if<WhenStep>(&form.steps[0].node);
    return when && !when->then.empty() && std::holds_alternative<CollapseStep>(when->then[0].node);
  };
  EXPECT_TRUE(collapses("add(mul(index(m), index(N)), index(n))"));
  EXPECT_TRUE(collapses("add(index(n), mul(index(N), index(m)))"));
  EXPECT_TRUE(collapses("add(index(m * N + n), 7_i64)"));
  EXPECT_TRUE(collapses("index(N)"));
  EXPECT_FALSE(collapses("index(m)"));
  EXPECT_FALSE(collapses("add(index(m * N + n), index(m))"));
  EXPECT_FALSE(collapses("add(mul(index(m), index(M)), index(n))"));
  EXPECT_FALSE(collapses("sub(index(m * N), index(n))"));
}

// So are iterators that are neighbours elsewhere, too, and those of several groups, one after the other.
TEST(Forms, NeighboursAreOne) {
  auto groups = [](const std::string& in, const std::string& shape, const std::string& out,
                   const std::string& of) {
    const std::string text = "kernel @f(%A: tensor<" + shape + " x f32>) -> (%C: tensor<" + of +
                             " x f32>) level buffers { op (a: parallel, b: parallel, c: parallel, "
                             "d: parallel) ins(%A[" +
                             in + "]) outs(%C[" + out + "]) { (x, y) -> x } }";
    std::vector<std::string> found;
    const Form form = asked(text.c_str(), "x86-64-v4").form;
    for (const Steps* steps = &form.steps; !steps->empty();) {
      const Step* next = &steps->front();
      if (auto* one = std::get_if<CollapseStep>(&next->node)) {
        found.push_back(joined(one->iterators, " "));
        next = &(*steps)[1];
      }
      auto* when = std::get_if<WhenStep>(&next->node);
      if (!when) break;
      steps = &when->then;
    }
    return found;
  };
  using Groups = std::vector<std::string>;
  EXPECT_EQ(groups("d, a, b, c", "D x A x B x 4", "a, b, c, d", "A x B x 4 x D"), Groups{"a b c"});
  EXPECT_EQ(groups("c, d, a, b", "5 x 7 x 6 x 3", "a, b, c, d", "6 x 3 x 5 x 7"),
            (Groups{"c d", "a b"}));
  EXPECT_EQ(groups("d, a, b, c, b", "D x A x 3 x 4 x 3", "a, b, c, d", "A x 3 x 4 x D"), Groups{})
      << "a diagonal";
  EXPECT_EQ(groups("b, a, d, c", "B x A x D x C", "a, b, c, d", "A x B x C x D"), Groups{});
  EXPECT_EQ(groups("c, d, a, b", "C x 2000 x A x 2000", "a, b, c, d", "A x 2000 x C x 2000"),
            Groups{})
      << "lines are long";
}

// Where windows leave them alone, so are channels and images, whichever are few.
TEST(Forms, NeighboursBesideWindowsAreOne) {
  auto isOne = [](const std::string& in, const std::string& filter) {
    const std::string text =
        "kernel @f(%A: tensor<W x N x C x f32>, %K: tensor<T x C x f32>) -> (%O: tensor<V x N x C "
        "x "
        "f32>) level buffers { op (v: parallel, n: parallel, c: parallel, t: reduction) ins(%A[" +
        in + "], %K[" + filter + "]) outs(%O[v, n, c]) { (a, k, o) -> max(o, a) } }";
    const Form form = asked(text.c_str(), "x86-64-v4").form;
    return anyStep(form.steps, [](const Step& step) {
      auto* one = std::get_if<CollapseStep>(&step.node);
      return one && one->iterators == std::vector<std::string>{"n", "c"};
    });
  };
  EXPECT_TRUE(isOne("v * 2 + t, n, c", "t, 0"));
  EXPECT_FALSE(isOne("v * 2 + t, n, c", "t, c")) << "filters have channels alone";
  EXPECT_FALSE(isOne("v + t, n + t, c", "t, 0")) << "a window moves along 'n'";
}

// What is turned, and is outside at ends, is done inside as if it was not; outside are vectors along the output.
TEST(Forms, InsideNothingIsTested) {
  auto interiors = [](const std::string& index) {
    const std::string text =
        "kernel @f(%A: tensor<C x H x N x f32>) -> (%P: tensor<O x N x C x f32>) level buffers { "
        "op "
        "(o: parallel, n: parallel, c: parallel) ins(%A[" +
        index + "] pad 0.0_f32) outs(%P[o, n, c]) { (a, p) -> a } }";
    const Form form = asked(text.c_str(), "x86-64-v4").form;
    std::vector<std::string> found;
    anyStep(form.steps, [&](const Step& step) {
      if (auto* one = std::get_if<InteriorStep>(&step.node)) found.push_back(one->iterator);
      return false;
    });
    const bool collapses = anyStep(form.steps, [](const Step& step) {
      return std::holds_alternative<CollapseStep>(step.node);
    });
    return std::pair(found, collapses);
  };
  using Found = std::pair<std::vector<std::string>, bool>;
  EXPECT_EQ(interiors("c, o - 1, n"), Found({"o"}, true)) << "neighbours are one there";
  EXPECT_EQ(asked(R"(
    kernel @f(%A: tensor<C x H x f32>) -> (%P: tensor<2 x O x C x f32>) level buffers {
      op (o: parallel, c: parallel) ins(%A[c, o - 1] pad 0.0_f32) outs(%P[1, o, c]) { (a, p) -> a }
    })",
                  "x86-64-v4")
                .form.name,
            "stream")
      << "a part is written";
  EXPECT_EQ(interiors("c - 1, o - 1, n").second, false) << "some of a line is outside";
  EXPECT_EQ(interiors("c, o * 2 - 1, n").second, false);
}

// Where rows are short there is a lane for each result, the shorter the more is done at a row's end otherwise.
TEST(Forms, ShortRowsHaveALaneEach) {
  auto testsOf = [](const std::string& value, const std::string& rows, const std::string& row) {
    const std::string shape = rows + " x " + row + " x f32";
    const std::string text =
        "kernel @f(%A: tensor<" + shape + ">) -> (%C: tensor<" + rows +
        " x f32>) level buffers { op (h: parallel, d: reduction) ins(%A[h, d]) "
        "outs(%C[h]) { (a, c) -> " +
        value + " } }";
    const Form form = asked(text.c_str(), "x86-64-v4").form;
    auto* when = std::get_if<WhenStep>(&form.steps[0].node);
    return when ? when->tests : std::vector<strategy::Test>();
  };
  auto atMost = [](const std::string& name, int64_t most) {
    return strategy::Test{strategy::Test::Kind::LessEqual, extentOf(name),
                          affine::Expr::constant(most)};
  };
  const strategy::Test fills{strategy::Test::Kind::LessEqual, affine::Expr::constant(16),
                             extentOf("h")};
  using Tests = std::vector<strategy::Test>;
  EXPECT_EQ(testsOf("add(c, a)", "H", "D"), (Tests{atMost("d", 4), fills}));
  EXPECT_EQ(testsOf("max(c, a)", "H", "D"), (Tests{atMost("d", 16), fills}));
  EXPECT_EQ(testsOf("max(c, a)", "H", "16"), Tests{fills});
  EXPECT_EQ(testsOf("max(c, a)", "32", "D"), Tests{atMost("d", 16)});
  EXPECT_NE(testsOf("max(c, a)", "H", "17"), Tests{fills});
  EXPECT_NE(testsOf("max(c, a)", "15", "D"), Tests{atMost("d", 16)}) << "few rows";
}

// Channels that fill one vector are no columns of a product.
TEST(Forms, OneVectorOfChannelsIsNoProduct) {
  auto few = [](const std::string& channels) {
    const std::string text =
        "kernel @f(%A: tensor<W x C x f32>, %K: tensor<T x C x " + channels +
        " x f32>) -> (%O: tensor<V x " + channels +
        " x f32>) level buffers { op (v: parallel, f: parallel, t: reduction, c: "
        "reduction) ins(%A[v + t, c], %K[t, c, f]) outs(%O[v, f]) { (a, k, o) "
        "-> add(o, mul(a, k)) } }";
    const Form form = asked(text.c_str(), "znver5").form;
    auto* when = std::get_if<WhenStep>(&form.steps[0].node);
    return when && when->tests == std::vector<strategy::Test>{equals("f", 16)};
  };
  EXPECT_TRUE(few("F"));
  EXPECT_FALSE(few("64"));
}

// What is read again along iterators that it does not have, and lies otherwise, is turned before where these have four
// positions; what is read once is not.
TEST(Forms, WhatIsReadAgainIsTurnedBefore) {
  auto spread = [](const std::string& index, const std::string& shape, const std::string& k,
                   const char* target) {
    const std::string text = "kernel @f(%A: tensor<" + shape + " x f32>) -> (%C: tensor<M x " + k +
                             " x N x f32>) level buffers { op (m: parallel, k: parallel, n: "
                             "parallel) ins(%A[" +
                             index + "]) outs(%C[m, k, n]) { (a, c) -> exp(a) } }";
    return asked(text.c_str(), target).form;
  };
  auto copyIn = [](const Form& form) -> const CopyStep* {
    auto* when = std::get_if<WhenStep>(&form.steps[0].node);
    return when && !when->then.empty() ? std::get_if<CopyStep>(&when->then[0].node) : nullptr;
  };
  for (const char* target : {"x86-64-v3", "x86-64-v4", "aarch64"}) {
    const Form form = spread("n, m", "N x M", "K", target);
    ASSERT_NE(copyIn(form), nullptr) << target;
    EXPECT_EQ(copyIn(form)->dimensions, (std::vector<std::string>{"m", "n"}));
    EXPECT_TRUE(
        llvm::is_contained(form.lines, "A is turned before: it lies along 'm', and is read again"));
    const auto& when = std::get<WhenStep>(form.steps[0].node);
    ASSERT_EQ(when.tests.size(), 3U);  // 4 <= k, and how A and C lie
    EXPECT_EQ(when.tests[0].left.asConstant(), 4);
    EXPECT_FALSE(when.otherwise.empty());
    EXPECT_NE(copyIn(spread("n, k", "N x K", "K", target)), nullptr) << target;
    EXPECT_NE(copyIn(spread("n, m", "N x M", "4", target)), nullptr) << target;
    EXPECT_EQ(copyIn(spread("n, m", "N x M", "3", target)), nullptr) << target;
    EXPECT_EQ(copyIn(spread("m, n", "M x N", "K", target)), nullptr) << target;
    EXPECT_EQ(copyIn(spread("m, k", "M x K", "K", target)), nullptr) << target;
    EXPECT_EQ(copyIn(spread("n, k, m", "N x K x M", "K", target)), nullptr) << target;
  }
  EXPECT_EQ(copyIn(spread("n, m", "N x M", "K", "generic")), nullptr);
}

// What holds where an attribute is 1 has the best of those behind it elsewhere, also where a user names it.
TEST(Forms, UnitStepsHaveTheNextBestElsewhere) {
  const char* planes = R"(
    kernel @f(%A: tensor<H x W x f32>, %K: tensor<R x S x f32>) -> (%B: tensor<M x N x f32>)
        attr s: i64 level buffers {
      op (m: parallel, n: parallel, r: reduction, t: reduction) ins(%A[m + r, n * s + t], %K[r, t] shape)
          outs(%B[m, n]) { (a, k, b) -> add(b, a) }
    })";
  for (const char* named : {"", "windows"}) {
    const Asked it = asked(planes, "x86-64-v4", 1, named);
    EXPECT_EQ(it.error, "");
    EXPECT_EQ(it.form.name, "windows");
    ASSERT_EQ(it.form.steps.size(), 1U);
    const auto& terms = std::get<WhenStep>(it.form.steps[0].node);  // few of them
    EXPECT_EQ(terms.tests.size(), 3U);
    ASSERT_EQ(terms.otherwise.size(), 1U);
    const auto& when = std::get<WhenStep>(terms.otherwise[0].node);
    ASSERT_EQ(when.tests.size(), 1U);
    EXPECT_EQ(when.tests[0].kind, strategy::Test::Kind::Equal);
    const Form streams = asked(planes, "x86-64-v4", 1, "stream").form;
    EXPECT_EQ(when.otherwise, std::get<WhenStep>(streams.steps[0].node).otherwise);
  }
  EXPECT_EQ(asked(planes, "x86-64-v2", 1, "windows").error.substr(0, 12), "no windows: ");
  EXPECT_EQ(asked(planes, "generic").form.name, "lines");
}

}  // namespace
}  // namespace einc::strategy
