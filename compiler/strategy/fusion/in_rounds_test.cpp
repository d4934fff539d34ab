// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/in_rounds.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "compiler/strategy/fusion/test_attention.h"
#include "compiler/transforms/test_forms.h"

namespace einc::strategy {
namespace {

using namespace test;

Steps tiles(int64_t m, int64_t n) {
  return {Step(TileStep{"m", affine::Expr::constant(m)}),
          Step(TileStep{"n", affine::Expr::constant(n)})};
}

// Tiles that are in parts as well.
Steps parts(int64_t m, int64_t width, int64_t n) {
  Steps steps = tiles(m, n);
  steps.push_back(Step(TileStep{"n", affine::Expr::constant(width), Threads{1}}));
  return steps;
}

InRounds done(const std::string& spec, const Steps& steps, unsigned last, unsigned first = 0,
              int64_t threads = 1) {
  static ScheduleOptions options;
  options = {target::find("x86-64-v3"), threads};
  options.settings = {{"f", first, kRounds, "", steps, last}};
  return inRounds(ir::test::goodKernel(spec), options);
}

// The model's.
InRounds model(const std::string& spec, int64_t threads = 1) {
  ScheduleOptions options{target::find("x86-64-v3"), threads};
  return inRounds(ir::test::goodKernel(spec), options);
}

TEST(InRounds, AttentionIsOneLoopOverKeys) {
  const std::string spec = attention("s", "exp(sub(s, l))");
  const InRounds made = model(spec);
  ASSERT_EQ(made.done.size(), 1u);
  EXPECT_EQ(made.done[0].text,
            "tile by tile of 64 'm', in rounds of 96 along 'n'; of S, L, T, U no more than a "
            "tile is kept");
  const std::string text = ir::print(made.kernel);
  EXPECT_EQ(ir::test::count(text, "by 96 reduction"), 1u) << text;
  EXPECT_EQ(ir::test::count(text, "local %S: tensor<64 x 96 x f32>"), 1u) << text;
  EXPECT_TRUE(transforms::test::has(
      text, "select(eq(l_before_here, l_here), 1.0_f32, exp(sub(l_before_here, l_here)))"))
      << text;
}

// Tiles and rounds that are whole, and others.
TEST(InRounds, ComputeTheSame) {
  for (const char* term :
       {"s", "mul(s, c)", "mul(c, tanh(div(s, c)))", "select(le(index(n), index(m)), s, -inf_f32)",
        "select(lt(index(m), index(n)), s, -inf_f32)"})  // of the last rows nothing
    for (auto [m, n] : {std::pair(1, 1), std::pair(2, 1), std::pair(1, 2), std::pair(2, 3)}) {
      const std::string spec = attention(term, "exp(sub(" + std::string(term) + ", l))");
      const InRounds made = done(spec, tiles(m, n), 9);
      EXPECT_TRUE(made.errors.empty()) << made.errors[0].message;
      transforms::test::expectComputes(spec, made.kernel, {4, 7});
    }
}

// Rows of keys that end where elements say, or a row that sees those before it: masked scores, or terms left out.
std::string masked(const std::string& condition, bool isChoice) {
  auto only = [&](const std::string& term, const std::string& none) {
    return isChoice ? term : "select(" + condition + ", " + term + ", " + none + ")";
  };
  const std::string chosen = isChoice ? "select(" + condition + ", s, -inf_f32)" : "mul(s, c)";
  return "kernel @f(%Q: tensor<M x D x f32>, %K: tensor<N x D x f32>, %V: tensor<N x E x f32>, %e: "
         "tensor<M x i16>, c: f32) -> (%O: tensor<M x E x f32>) level tensors {" +
         std::string(kLocals) + "local %Y: tensor<M x N x f32>" + kScores +
         "op (m: parallel, n: parallel) ins(%S[m, n], %e[m]) outs(%Y[m, n]) { (s, e, y) -> " +
         chosen +
         " } op (m: parallel, n: reduction) ins(%Y[m, n], %e[m]) outs(%L[m]) { (y, e, l) -> "
         "max(l, " +
         only("y", "-inf_f32") +
         ") } op (m: parallel, n: parallel) ins(%Y[m, n], %L[m], %e[m]) outs(%X[m, n]) { (y, l, e, "
         "x) -> " +
         only("exp(sub(y, l))", "0.0_f32") +
         " } op (m: parallel) outs(%T[m]) { (t) -> 0.0_f32 } "
         "op (m: parallel, n: reduction) ins(%X[m, n], %e[m]) outs(%T[m]) { (x, e, t) -> add(t, " +
         only("x", "-0.0_f32") +
         ") } op (m: parallel, e: parallel) outs(%U[m, e]) { (u) -> 0.0_f32 } "
         "op (m: parallel, e: parallel, n: reduction) ins(%X[m, n], %V[n, e], %e[m]) outs(%U[m, "
         "e]) "
         "{ (x, v, e, u) -> add(u, " +
         only("mul(x, v)", "-0.0_f32") +
         ") } op (m: parallel, e: parallel) ins(%T[m], %U[m, e]) outs(%O[m, e]) { (t, u, o) -> "
         "div(u, t) } }";
}

// Rounds behind the end of a row are left out. Of masked scores the first one is not: where all of a row is masked, it is NaN.
TEST(InRounds, RowsEndWhereElementsSay) {
  const std::string below = "lt(index(n), cast<i64>(e))";
  auto madeOf = [&](bool isChoice) {
    const InRounds made = done(masked(below, isChoice), tiles(1, 3), 10);
    EXPECT_TRUE(made.errors.empty()) << made.errors[0].message;
    return ir::print(made.kernel);
  };
  const std::string where = madeOf(false), chosen = madeOf(true);
  EXPECT_TRUE(transforms::test::has(where, "read e_read = %e[m0] bound n0_end = min(N, e_read)"))
      << where;
  EXPECT_TRUE(transforms::test::has(
      chosen,
      "read e_read = %e[m0] bound minus_end = min(-1, -e_read) bound n0_end = min(N, -minus_end)"))
      << chosen;
  EXPECT_TRUE(transforms::test::has(chosen, "if outside <= 0 {")) << chosen;
}

TEST(InRounds, MasksComputeTheSame) {
  for (const char* condition : {"lt(index(n), cast<i64>(e))", "le(cast<i64>(e), index(n))",
                                "le(index(n), cast<i64>(e))", "lt(index(n - m), cast<i64>(e))",
                                "and(lt(index(n), cast<i64>(e)), lt(index(m), index(n + 2)))",
                                "and(le(index(n), index(m)), lt(index(m), index(n + 2)))"})
    for (bool isChoice : {false, true})
      for (auto [m, n] : {std::pair(1, 1), std::pair(1, 2), std::pair(2, 3)}) {
        const std::string spec = masked(condition, isChoice);
        const InRounds made = done(spec, tiles(m, n), 10);
        EXPECT_TRUE(made.errors.empty()) << made.errors[0].message;
        transforms::test::expectComputes(spec, made.kernel, {4, 7});
      }
}

TEST(InRounds, FactorsFollowFromPayloads) {
  for (const char* power :
       {"exp2(mul(sub(s, l), c))", "mul(exp(sub(s, l)), c)", "neg(exp(div(sub(s, l), 2.0_f32)))",
        "exp(add(sub(s, l), c))", "select(lt(index(n), index(m)), exp(sub(s, l)), 0.0_f32)"}) {
    const std::string spec = attention("s", power);
    const InRounds made = done(spec, tiles(2, 2), 9);
    EXPECT_TRUE(made.errors.empty()) << power << ": " << made.errors[0].message;
    transforms::test::expectComputes(spec, made.kernel, {5});
  }
}

TEST(InRounds, WhyNot) {
  struct {
    const char *term, *power, *why;
  } const cases[] = {
      {"s", "exp(sub(mul(s, 2.0_f32), l))", "how a value changes with a bound is not known"},
      {"s", "sqrt(sub(l, s))", "how a value changes with a bound is not known"},
      {"select(lt(s, 0.0_f32), s, -inf_f32)", "exp(sub(s, l))",
       "terms are added up that a bound leaves out"},
      {"s", "exp(neg(sub(s, l)))", "terms grow as a bound moves on"},
      {"s", "exp(mul(sub(s, l), -0.5_f32))", "terms grow as a bound moves on"},
      {"s", "exp(mul(sub(s, l), s))", "how a value changes with a bound is not known"},
      {"s", "select(lt(s, 0.0_f32), exp(sub(s, l)), 1.0_f32)",
       "how a value changes with a bound is not known"},
  };
  for (const auto& one : cases) {
    const InRounds made = model(attention(one.term, one.power));
    ASSERT_EQ(made.done.size(), 1u) << one.power;
    EXPECT_EQ(made.done[0].text, one.why) << one.power;
    EXPECT_TRUE(made.done[0].tiles.empty());
  }
  // Sums of two statements, which would both be corrected; and those that begin with another number.
  const std::string
      good = attention("s", "exp(sub(s, l))"),
      sum = "op (m: parallel, n: reduction) ins(%X[m, n]) outs(%T[m]) { (x, t) -> add(t, x) }";
  auto whyOf = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    EXPECT_NE(text.find(from), std::string::npos);
    const InRounds made = model(text.replace(text.find(from), from.size(), to));
    return made.done.empty() ? "" : made.done[0].text;
  };
  EXPECT_EQ(whyOf(sum, sum + " " + sum), "a tensor is written more than once");
  EXPECT_EQ(whyOf("{ (t) -> 0.0_f32 }", "{ (t) -> 1.0_f32 }"),
            "a sum that changes with a bound does not begin with 0");
}

// Rows of an input that are read again, and lie in lines.
std::string rowsOf(const std::string& input, const std::string& term,
                   const std::string& extents = "M x N x f32") {
  const std::string count = extents == "M x 1000 x f32" ? "1000" : "N";
  return "kernel @f(%X: tensor<" + extents + ">) -> (%O: tensor<M x f32>) level tensors { " +
         "local %S: tensor<M x f32> local %A: tensor<M x f32> local %Q: tensor<M x f32> " +
         "op (m: parallel) outs(%S[m]) { (s) -> 0.0_f32 } " +
         "op (m: parallel, n: reduction) ins(%X" + input +
         ") outs(%S[m]) { (x, s) -> add(s, x) } " +
         "op (m: parallel) ins(%S[m]) outs(%A[m]) { (s, a) -> div(s, cast<f32>(index(" + count +
         "))) } " + "op (m: parallel) outs(%Q[m]) { (q) -> 0.0_f32 } " +
         "op (m: parallel, n: reduction) ins(%X" + input + ", %A[m]) outs(%Q[m]) " +
         "{ (x, a, q) -> add(q, " + term + ") } " +
         "op (m: parallel) ins(%Q[m]) outs(%O[m]) { (q, o) -> div(q, cast<f32>(index(" + count +
         "))) } }";
}

TEST(InRounds, RowsThatNoCacheHoldsAreReadOnce) {
  const std::string spec = rowsOf("[m, n]", "square(sub(x, a))");
  const InRounds made = model(spec);
  ASSERT_EQ(made.done.size(), 1u);
  EXPECT_EQ(made.done[0].text,
            "tile by tile of 1 'm', in rounds of 4096 along 'n'; of S, A, Q no more than a tile is "
            "kept; where 262144 <= (N * 4), else one by one");
  const std::string text = ir::print(made.kernel);
  EXPECT_TRUE(transforms::test::has(text, "add(q_by_a, mul(-2.0_f32, sub(x_here, a)))")) << text;
  EXPECT_TRUE(transforms::test::has(text, "add(q_by_a2, mul(2.0_f32, cast<f32>(index(n0_size))))"))
      << text;
  // Short rows are read again from a cache, long ones are not.
  auto whyOf = [&](const std::string& text) {
    const InRounds made = model(text);
    return made.done.empty() ? "" : made.done[0].text;
  };
  EXPECT_EQ(whyOf(rowsOf("[m, n]", "square(sub(x, a))", "M x 1000 x f32")),
            "what is read again is read from the caches");
  EXPECT_EQ(whyOf(rowsOf("[n, m]", "square(sub(x, a))", "N x M x f32")),
            "an operand does not lie in lines along the rounds");
  EXPECT_EQ(whyOf(rowsOf("[m, n]", "exp(sub(x, a))")),
            "how a term changes with a bound is not known");
  EXPECT_EQ(whyOf(rowsOf("[m, n]", "square(square(mul(sub(x, a), sub(x, a))))")),
            "how a term changes with a bound is not known");  // an eighth power
}

// What the model asks is a step; without it they are done so at any size.
TEST(InRounds, AUserSaysWhenRowsAreReadOnce) {
  const std::string spec = rowsOf("[m, n]", "square(sub(x, a))");
  const InRounds byModel = model(spec);
  const InRounds same = done(spec, byModel.done[0].tiles, 5);
  EXPECT_TRUE(same.errors.empty());
  EXPECT_EQ(ir::print(same.kernel), ir::print(byModel.kernel));
  const std::string always = ir::print(done(spec, tiles(2, 3), 5).kernel);
  EXPECT_EQ(ir::test::count(always.substr(0, always.find("contract")), "if "), 0u) << always;
  WhenStep when = std::get<WhenStep>(byModel.done[0].tiles[0].node);
  when.otherwise = tiles(2, 3);
  const InRounds wrong = done(spec, {Step(when)}, 5);
  ASSERT_EQ(wrong.errors.size(), 1u);
  EXPECT_EQ(wrong.errors[0].message,
            "expected sizes to be compared, and nothing otherwise: when 524288 <= N * 4 { tile n "
            "by 4096 }");
}

// A result that rounds would write first, where a call may pass what they read: the spec has read all of it by then.
TEST(InRounds, NoInputIsOverwritten) {
  auto spec = [](const std::string& out) {
    return "kernel @f(%X: tensor<M x N x f32>, %B: tensor<M x f32>) -> (%O: tensor<M x f32>, %P: "
           "tensor<" +
           out + " x f32>) level tensors { local %S: tensor<M x f32> local %Q: tensor<M x f32> " +
           "op (m: parallel) outs(%S[m]) { (s) -> 0.0_f32 } " +
           "op (m: parallel, n: reduction) ins(%X[m, n], %B[m]) outs(%S[m]) { (x, b, s) -> add(s, "
           "mul(x, b)) } " +
           (out == "M" ? "op (m: parallel) ins(%B[m]) outs(%P[m]) { (b, p) -> add(b, b) } "
                       : "op (m: parallel, i: parallel) ins(%B[m]) outs(%P[m, i]) { (b, p) -> "
                         "add(b, b) } ") +
           "op (m: parallel) outs(%Q[m]) { (q) -> 0.0_f32 } "
           "op (m: parallel, n: reduction) ins(%X[m, n], %S[m]) outs(%Q[m]) { (x, s, q) -> add(q, "
           "mul(x, s)) } "
           "op (m: parallel) ins(%Q[m]) outs(%O[m]) { (q, o) -> q } }";
  };
  EXPECT_EQ(model(spec("M")).done[0].text,
            "a call may pass an input in the place of a result, and it would be read later");
  EXPECT_FALSE(model(spec("M x 3")).done[0].tiles.empty());
}

// A bound that is replaced where it is infinite is a bound; one that is replaced elsewhere is none.
TEST(InRounds, WhatStandsForABound) {
  auto why = [](const std::string& choice) {
    const std::string text =
        "kernel @f(%X: tensor<M x N x f32>) -> (%O: tensor<M x f32>) level tensors { local %L: "
        "tensor<M x f32> "
        "local %S: tensor<M x f32> local %T: tensor<M x f32> op (m: parallel) outs(%L[m]) { (l) -> "
        "-inf_f32 } "
        "op (m: parallel, n: reduction) ins(%X[m, n]) outs(%L[m]) { (x, l) -> max(l, x) } "
        "op (m: parallel) ins(%L[m]) outs(%S[m]) { (l, s) -> " +
        choice +
        " } "
        "op (m: parallel) outs(%T[m]) { (t) -> 0.0_f32 } "
        "op (m: parallel, n: reduction) ins(%X[m, n], %S[m]) outs(%T[m]) { (x, s, t) -> add(t, "
        "exp(sub(x, s))) } "
        "op (m: parallel) ins(%S[m], %T[m]) outs(%O[m]) { (s, t, o) -> add(log(t), s) } }";
    const InRounds made = model(text);
    return made.done.empty() || !made.done[0].tiles.empty() ? "" : made.done[0].text;
  };
  for (const char* choice :
       {"select(lt(abs(l), inf_f32), l, 0.0_f32)", "select(eq(l, -inf_f32), 0.0_f32, l)",
        "select(le(inf_f32, abs(l)), 0.0_f32, l)", "select(ne(l, inf_f32), l, -3.0_f32)"})
    EXPECT_EQ(why(choice), "") << choice;
  for (const char* choice :
       {"select(lt(abs(l), 100.0_f32), l, 0.0_f32)", "select(lt(abs(l), inf_f32), 0.0_f32, l)",
        "select(lt(l, -inf_f32), l, 0.0_f32)", "select(eq(l, 0.0_f32), 0.0_f32, l)",
        "select(lt(abs(l), inf_f32), l, inf_f32)", "max(l, -5.0_f32)", "mul(l, 2.0_f32)"})
    EXPECT_EQ(why(choice), "how a term changes with a bound is not known") << choice;
}

// Where centres on the way may be far from all terms, or terms that are far from them may count for nothing in the end.
TEST(InRounds, OtherCentresAreComplete) {
  const std::string spec = rowsOf("[m, n]", "square(sub(x, a))");
  const std::string mean = "div(s, cast<f32>(index(N)))";
  for (const char* centre : {"s", "mul(s, 0.5_f32)", "div(s, cast<f32>(index(M)))", "exp(s)",
                             "div(s, cast<f32>(index(N + 1)))"}) {
    std::string text = spec;
    text.replace(text.find(mean), mean.size(), centre);
    ASSERT_EQ(model(text).done.size(), 1u) << centre;
    EXPECT_EQ(model(text).done[0].text, "how a term changes with a bound is not known") << centre;
  }
  for (const char* term : {"mul(x, sub(x, a))", "square(sub(mul(x, 2.0_f32), a))", "add(x, a)",
                           "select(lt(index(n), index(m)), square(sub(x, a)), -0.0_f32)"})
    EXPECT_EQ(model(rowsOf("[m, n]", term)).done[0].text,
              "how a term changes with a bound is not known")
        << term;
}

// A call may pass an input in the place of a result, and rounds go on reading it.
TEST(InRounds, ResultsThatAreCentresAreWrittenBehind) {
  std::string spec = rowsOf("[m, n]", "square(sub(x, a))");
  auto replace = [&](const std::string& from, const std::string& to) {
    spec.replace(spec.find(from), from.size(), to);
  };
  replace("(%O: tensor<M x f32>)", "(%O: tensor<M x f32>, %A: tensor<M x f32>)");
  replace("local %A: tensor<M x f32> ", "");
  const InRounds made = done(spec, tiles(1, 2), 5);
  EXPECT_TRUE(made.errors.empty());
  const std::string text = ir::print(made.kernel), rounds = text.substr(0, text.find("contract"));
  EXPECT_EQ(ir::test::count(rounds, "outs(%A_here[])"), 1u) << text;
  EXPECT_GT(rounds.find("outs(%A_here[])"), rounds.rfind("reduction")) << text;
  transforms::test::expectComputes(spec, made.kernel, {4, 7});
}

TEST(InRounds, SumsMoveWithACentre) {
  for (const char* term : {"square(sub(x, a))", "mul(sub(x, a), square(sub(a, x)))",
                           "square(square(sub(x, a)))", "mul(2.0_f32, mul(sub(x, a), sub(x, a)))",
                           // What all terms are multiplied by.
                           "neg(mul(mul(a, x), x))",
                           "select(lt(index(n), index(m)), mul(x, div(a, 4.0_f32)), 0.0_f32)"})
    for (auto [m, n] : {std::pair(1, 1), std::pair(2, 1), std::pair(1, 2), std::pair(2, 3)}) {
      const std::string spec = rowsOf("[m, n]", term);
      const InRounds made = done(spec, tiles(m, n), 5);
      EXPECT_TRUE(made.errors.empty()) << made.errors[0].message;
      transforms::test::expectComputes(spec, made.kernel, {4, 7});
      const InRounds cut = done(spec, parts(m, 2 * n, n), 5, 0, 100);
      EXPECT_TRUE(cut.errors.empty()) << cut.errors[0].message;
      transforms::test::expectComputes(spec, cut.kernel, {4, 7});
    }
}

TEST(InRounds, AUserHasTheLastWord) {
  const std::string spec = attention("s", "exp(sub(s, l))");
  const InRounds none = done(spec, {}, 9);
  EXPECT_TRUE(none.errors.empty());
  EXPECT_EQ(ir::print(none.kernel), ir::print(ir::test::goodKernel(spec)));
  struct {
    Steps steps;
    unsigned last;
    const char* why;
  } const cases[] = {
      {tiles(0, 2), 9, "expected tiles of 1 to 65536 positions: tile m by 64"},
      {{Step(TileStep{"x", affine::Expr::constant(2)})}, 9, "no loop 'x' here; there are m, n"},
      {{Step(LoopsStep{})}, 9, "expected tiles of 1 to 65536 positions: tile m by 64"},
      {tiles(2, 2), 5, "ops 0 to 5 are not done in rounds; there are 0 to 9"},
  };
  for (const auto& one : cases) {
    const InRounds made = done(spec, one.steps, one.last);
    ASSERT_EQ(made.errors.size(), 1u);
    EXPECT_EQ(made.errors[0].message, one.why);
  }
}

InRounds onDevice(const std::string& spec, const std::string& device = "vulkan",
                  const std::vector<Setting>& settings = {}) {
  ScheduleOptions options{target::find(device)};
  options.settings = settings;
  return inRounds(ir::test::goodKernel(spec), options);
}

// A tile is a workgroup's, and all that is kept of it has a known size: of long rows there are parts.
TEST(InRounds, WorkgroupsDoTiles) {
  const std::string spec = attention("s", "exp(sub(s, l))");
  const InRounds made = onDevice(spec);
  ASSERT_EQ(made.done.size(), 1u);
  EXPECT_EQ(
      made.done[0].text,
      "tile by tile of 32 'm' and 64 'e', in rounds of 32 along 'n', which workgroups share in "
      "parts of 1024 where there are fewer than 64 tiles; of S, L, T, U no more than a tile "
      "is kept");
  const std::string text = ir::print(made.kernel);
  EXPECT_TRUE(transforms::test::has(text, "by 32 parallel on workgroups x {")) << text;
  EXPECT_TRUE(transforms::test::has(text, "by 64 parallel on workgroups x {")) << text;
  EXPECT_TRUE(transforms::test::has(text, "local %U: tensor<32 x 64 x f32>")) << text;
  transforms::test::expectComputes(spec, made.kernel);
  const std::vector<Setting> small = {{"f", 0, kRounds, "", tiles(2, 3), 9}};
  transforms::test::expectComputes(spec, onDevice(spec, "vulkan", small).kernel, {4, 7});
}

// What is longer than an element says is asked at each position.
TEST(InRounds, DevicesReadNoElementAsANumber) {
  const std::string spec = masked("lt(index(n), cast<i64>(e))", /*isChoice=*/true);
  const std::vector<Setting> small = {{"f", 0, kRounds, "", tiles(1, 3), 10}};
  const InRounds made = onDevice(spec, "vulkan", small);
  EXPECT_TRUE(made.errors.empty()) << made.errors[0].message;
  EXPECT_TRUE(transforms::test::has(ir::print(made.kernel), "on workgroups x"));
  EXPECT_EQ(ir::test::count(ir::print(made.kernel), "read "), 0u);
  transforms::test::expectComputes(spec, made.kernel, {4, 7});
}

TEST(InRounds, TilesFitIntoAWorkgroup) {
  std::string wide = attention("s", "exp(sub(s, l))");
  for (size_t at = 0; (at = wide.find("f32", at)) != std::string::npos;) wide.replace(at, 3, "f64");
  EXPECT_EQ(
      onDevice(wide).done[0].text,
      "tile by tile of 16 'm' and 64 'e', in rounds of 16 along 'n', which workgroups share in "
      "parts of 1024 where there are fewer than 64 tiles; of S, L, T, U no more than a tile "
      "is kept");
  const std::string spec = attention("s", "exp(sub(s, l))");
  const InRounds made = onDevice(spec, "vulkan", {{"f", 0, kRounds, "", tiles(64, 64), 9}});
  ASSERT_EQ(made.errors.size(), 1u);
  EXPECT_EQ(made.errors[0].message,
            "a workgroup has 16384 bytes of memory, and what is kept of a tile would take 34304");
}

// Rows of which there would be many parts are whole, and so is all else.
TEST(InRounds, PartsOfRowsAreFew) {
  for (const auto& [row, isFew] : {std::pair("256", true), std::pair("257", false)}) {
    std::string spec = attention("s", "exp(sub(s, l))");
    for (size_t at = 0; (at = spec.find("x E x", at)) != std::string::npos;)
      spec.replace(at, 5, "x " + std::string(row) + " x");
    const InRounds made = onDevice(spec);
    ASSERT_EQ(made.done.size(), 1u);
    EXPECT_EQ(!made.done[0].tiles.empty(), isFew) << made.done[0].text;
    if (!isFew)
      EXPECT_EQ(made.done[0].text,
                "what is not along rows of U would be computed again for many parts of these");
  }
}

// Where a device ends long loops, long sums are done one by one; a row that has a result of its own is not in parts.
TEST(InRounds, WhereAWorkgroupMayDoATile) {
  const std::string spec = attention("s", "exp(sub(s, l))");
  const InRounds software = onDevice(spec, "vulkan-software");
  EXPECT_TRUE(transforms::test::has(software.done[0].text, " <= 60000, else one by one"))
      << software.done[0].text;
  transforms::test::expectComputes(spec, software.kernel);
  // Of the tiles that a user says, and of one row.
  const InRounds small = onDevice(spec, "vulkan-software", {{"f", 0, kRounds, "", tiles(4, 1), 9}});
  EXPECT_EQ(ir::test::count(ir::print(small.kernel), "<= 60000"), 2u);
  EXPECT_NE(small.done[0].text.substr(small.done[0].text.find("where")),
            software.done[0].text.substr(software.done[0].text.find("where")));
  std::string seen = spec;
  seen.replace(seen.find("%O: tensor<M x E x f32>"), 23,
               "%O: tensor<M x E x f32>, %T: tensor<M x f32>");
  seen.erase(seen.find("local %T: tensor<M x f32> "), 26);
  const InRounds made = onDevice(seen);
  EXPECT_TRUE(made.done.empty() || made.done[0].tiles.empty()) << made.done[0].text;
  std::string result = spec;
  result.replace(result.find("%O: tensor<M x E x f32>"), 23,
                 "%O: tensor<M x E x f32>, %R: tensor<M x f32>");
  result.replace(result.rfind('}'), 1, "op (m: parallel) ins(%L[m]) outs(%R[m]) { (l, r) -> l } }");
  const InRounds whole = onDevice(result);
  EXPECT_TRUE(
      transforms::test::has(whole.done[0].text, "; where 1 <= E and E <= 64, else one by one"))
      << whole.done[0].text;
  transforms::test::expectComputes(result, whole.kernel);
  const Steps narrow = {Step(TileStep{"e", affine::Expr::constant(2)})};
  const InRounds parts = onDevice(result, "vulkan", {{"f", 0, kRounds, "", narrow, 10}});
  EXPECT_TRUE(transforms::test::has(ir::print(parts.kernel), "if 1 < M and 1 <= E and E <= 2 {"));
  transforms::test::expectComputes(result, parts.kernel, {2, 3});
}

// Parts of all rounds for threads, and what they have left is combined.
TEST(InRounds, PartsAreCombined) {
  const std::string spec = attention("s", "exp(sub(s, l))");
  const InRounds made = done(spec, parts(2, 4, 2), 9, 0, /*threads=*/3);
  ASSERT_TRUE(made.errors.empty()) << made.errors[0].message;
  EXPECT_EQ(made.done[0].text,
            "tile by tile of 2 'm', in rounds of 2 along 'n', which threads share in parts of 4 "
            "where there are fewer than 3 tiles; of S, L, T, U no more than a tile is kept");
  const std::string text = ir::print(made.kernel);
  for (const char* part :
       {"local %L_parts: tensor<n_parts x 2 x f32>",
        "bound n_many = min(1, ((M + 1) floordiv 2) floordiv 3)",
        "bound n_parts = min((N + 3) floordiv 4, N - N * n_many + 1)",
        "tile n_part : n_part_size = 0 .. n_parts by 1 parallel on threads from",
        "bound n_length = min(N * n_many + 4, N - n_part * 4)", "= (d0) -> %L_parts[n_part, d0]",
        "outs(%T_part[d0]) { (t_part) -> -0.0_f32 }",
        "tile n0 : n0_size = 0 .. n_length by 2 reduction {",
        "= (d0, d1) -> %K[n_part * 4 + n0 + d0, d1]",
        "tile part : part_size = 0 .. n_parts by 1 reduction {",
        "op (d0: parallel) ins(%L_parts_here[d0]) outs(%L_here[d0]) { (l_parts_here, l_here) -> "
        "max(l_here, l_parts_here) }",
        "op (d0: parallel) ins(%L_parts_here1[d0], %L_here[d0]) outs(%factor1_here[d0])",
        "add(u_here, select(eq(l_parts_here1, l_here), u_parts_here, select(eq(l_parts_here1, "
        "-inf_f32), 0.0_f32, mul(u_parts_here, factor1_here))))"})
    EXPECT_TRUE(transforms::test::has(text, part)) << part << "\n" << text;
}

// With all that a mask may leave of a part: some, nothing, or no more from a part on.
TEST(InRounds, PartsComputeTheSame) {
  for (const char* term : {"s", "mul(s, c)", "select(le(index(n), index(m)), s, -inf_f32)",
                           "select(lt(index(m), index(n)), s, -inf_f32)",
                           "select(lt(index(n), index(N)), s, -inf_f32)"})
    for (auto [m, width, n, threads] : {std::tuple(1, 1, 1, 9), std::tuple(2, 3, 2, 9),
                                        std::tuple(2, 2, 3, 9), std::tuple(2, 3, 1, 2)}) {
      const std::string spec = attention(term, "exp(sub(" + std::string(term) + ", l))");
      const InRounds made = done(spec, parts(m, width, n), 9, 0, threads);
      EXPECT_TRUE(made.errors.empty()) << made.errors[0].message;
      transforms::test::expectComputes(spec, made.kernel, {4, 7});
    }
  for (const char* power : {"exp2(mul(sub(s, l), c))", "neg(exp(div(sub(s, l), 2.0_f32)))",
                            "select(lt(index(n), index(m)), exp(sub(s, l)), 0.0_f32)"}) {
    const std::string spec = attention("s", power);
    const InRounds made = done(spec, parts(2, 2, 1), 9, 0, /*threads=*/9);
    EXPECT_TRUE(made.errors.empty()) << made.errors[0].message;
    transforms::test::expectComputes(spec, made.kernel, {5});
  }
}

TEST(InRounds, PartsOfWhatNoBoundChanges) {
  const std::string spec = productOfScores();
  const InRounds made = done(spec, parts(2, 2, 1), 8, 0, /*threads=*/9);
  ASSERT_TRUE(made.errors.empty()) << made.errors[0].message;
  EXPECT_TRUE(transforms::test::has(ir::print(made.kernel), "mul(c_here, c_parts_here)"));
  transforms::test::expectComputes(spec, made.kernel, {4, 5});
}

TEST(InRounds, PartsAreForThreads) {
  const std::string spec = attention("s", "exp(sub(s, l))");
  const std::string text = ir::print(model(spec, /*threads=*/4).kernel);
  EXPECT_TRUE(transforms::test::has(text, "min(1, ((M + 63) floordiv 64) floordiv 4)")) << text;
  EXPECT_TRUE(transforms::test::has(text, "min(1, M floordiv 4)")) << text;
  // A thread has parts enough, in tiles, and of one row.
  for (const char* grain : {"(D * 65536 + E * 65536 + 1)", "(D * 1024 + E * 1024 + 1)"})
    EXPECT_TRUE(transforms::test::has(
        text, "by 1 parallel on threads from (131072 floordiv " + std::string(grain)))
        << text;
  EXPECT_EQ(ir::test::count(ir::print(model(spec).kernel), "n_part"), 0u);
  // Where it is known that there are too many rows, or too few keys.
  auto known = [&](std::string of, const std::string& is) {
    std::string one = spec;
    for (size_t at = 0; (at = one.find("<" + of + " x", at)) != std::string::npos;)
      one.replace(at + 1, of.size(), is);
    for (size_t at = 0; (at = one.find("x " + of + " x", at)) != std::string::npos;)
      one.replace(at + 2, of.size(), is);
    return model(one, /*threads=*/4);
  };
  EXPECT_EQ(ir::test::count(ir::print(known("M", "256").kernel), "n_part"), 0u);
  EXPECT_EQ(ir::test::count(ir::print(known("N", "1024").kernel), "n_part"), 0u);
  EXPECT_TRUE(transforms::test::has(ir::print(known("M", "64").kernel),
                                    "bound n_parts = min((N + 1023) floordiv 1024, N + 1)"));
  EXPECT_TRUE(transforms::test::has(ir::print(known("N", "1025").kernel),
                                    "bound n_parts = min(2, -n_many * 1025 + 1026)"));
  // A user who says nothing of parts has none.
  EXPECT_EQ(ir::test::count(ir::print(done(spec, tiles(64, 96), 9, 0, 4).kernel), "n_part"), 0u);
  Steps rows = parts(2, 4, 2);
  std::get<TileStep>(rows[2].node).iterator = "m";
  struct {
    Steps steps;
    int64_t threads;
    const char* why;
  } const cases[] = {
      {parts(2, 4, 2), 1, "parts are for threads, of which there is one"},
      {rows, 3,
       "threads share tiles anyway; parts for them are of 'n': tile n by 1024 on threads (131072)"},
  };
  for (const auto& one : cases) {
    const InRounds made = done(spec, one.steps, 9, 0, one.threads);
    ASSERT_EQ(made.errors.size(), 1u);
    EXPECT_EQ(made.errors[0].message, one.why);
  }
}

// One query has a way of its own.
TEST(InRounds, OneRowIsNoTile) {
  const std::string spec = attention("s", "exp(sub(s, l))");
  const InRounds made = model(spec);
  const std::string text = ir::print(made.kernel);
  EXPECT_TRUE(transforms::test::has(text, "if 1 < M {")) << text;
  EXPECT_TRUE(transforms::test::has(text, "by 512 reduction")) << text;
  transforms::test::expectComputes(spec, made.kernel);
}

}  // namespace
}  // namespace einc::strategy
