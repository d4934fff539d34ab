// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/inline.h"

#include "compiler/transforms/builder.h"
#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::has;

// The kernel with its first op in its second, or "" where that can't be. The result is the same.
std::string inlinedText(const std::string& producer, const std::string& consumer) {
  const std::string text =
      "kernel @f(%A: tensor<N x f32>, %B: tensor<J x f32>, %Q: tensor<N x N x f32>) -> "
      "(%C: tensor<I x J x f32>, %E: tensor<I x f32>) level tensors { "
      "local %T: tensor<N x f32> local %U: tensor<N x f32> local %S: tensor<N x N x f32> " +
      producer + " " + consumer + " }";
  const ir::Kernel before = ir::test::parsedKernel(text);
  ir::Kernel kernel = before;
  const auto op = [&](size_t i) { return std::get<ir::StructuredOp>(before.body.at(i).node); };
  auto result = inlined(before, op(0), op(1));
  if (!result) return "";
  kernel.body = only({*result});
  return ir::print(kernel);
}

const char* const kExp = "op (m: parallel) ins(%A[m]) outs(%T[m]) { (a, t) -> exp(a) }";

TEST(Inline, AnOpTakesThePlaceOfItsResult) {
  const std::string text = inlinedText(kExp,
                                       "op (i: parallel, j: parallel) ins(%T[i + j], %B[j], %E[i]) "
                                       "outs(%C[i, j]) { (t, b, e, c) -> mul(t, b) }");
  EXPECT_TRUE(has(text, "ins(%A[i + j], %B[j], %E[i])")) << text;
  EXPECT_TRUE(has(text, "(a, b, e, c) -> mul(exp(a), b)")) << text;
  EXPECT_FALSE(has(text, "%T[")) << text;
}

TEST(Inline, WhatIsReadTwiceIsAnInputOnce) {
  const std::string text =
      inlinedText(kExp,
                  "op (i: parallel) ins(%T[i], %A[i], %T[i + 1 - 1]) outs(%E[i]) "
                  "{ (t, a, u, e) -> add(add(t, a), u) }");
  EXPECT_TRUE(has(text, "ins(%A[i]) outs(%E[i])")) << text;
  EXPECT_TRUE(has(text, "add(add(exp(a), a), exp(a))")) << text;
}

TEST(Inline, EachPlaceThatIsReadIsComputed) {
  const std::string text = inlinedText(
      kExp, "op (i: parallel) ins(%T[i], %T[N - 1 - i]) outs(%E[i]) { (t, u, e) -> add(t, u) }");
  EXPECT_TRUE(
      has(text, "ins(%A[i], %A[N - i - 1]) outs(%E[i]) { (a, a1, e) -> add(exp(a), exp(a1)) }"))
      << text;
}

TEST(Inline, PositionsArePutInPlace) {
  const std::string text =
      inlinedText("op (m: parallel) ins(%A[m]) outs(%T[m]) { (a, t) -> cast<f32>(index(m * 2)) }",
                  "op (i: parallel) ins(%T[i + 3], %A[i]) outs(%E[i]) { (t, a, e) -> t }");
  EXPECT_TRUE(has(text, "cast<f32>(index(i * 2 + 6))")) << text;
  // Maps that change the order of dimensions.
  const std::string turned = inlinedText(
      "op (m: parallel, n: parallel) ins(%Q[n, m]) outs(%S[n, m]) "
      "{ (q, s) -> add(q, cast<f32>(index(m))) }",
      "op (i: parallel) ins(%S[i, 3], %A[i]) outs(%E[i]) { (s, a, e) -> s }");
  EXPECT_TRUE(has(turned, "%Q[i, 3]")) << turned;
  EXPECT_TRUE(has(turned, "index(3)")) << turned;
}

// The consumer may sum up what it reads.
TEST(Inline, IntoSums) {
  const std::string text =
      inlinedText(kExp,
                  "op (i: parallel, k: reduction) ins(%A[k], %T[k], %E[i] shape) outs(%E[i]) "
                  "{ (a, t, s, e) -> add(e, mul(a, t)) }");
  EXPECT_TRUE(has(text, "mul(a, exp(a))")) << text;
}

TEST(Inline, NotWhatIsNoWholeMap) {
  const std::string reader = "op (i: parallel) ins(%T[i]) outs(%E[i]) { (t, e) -> t }";
  auto of = [&](const std::string& producer) { return inlinedText(producer, reader); };
  EXPECT_NE(of(kExp), "");
  // A reduction.
  EXPECT_EQ(of("op (m: parallel, k: reduction) ins(%Q[m, k]) outs(%T[m]) { (q, t) -> add(t, q) }"),
            "");
  // It reads what was there.
  EXPECT_EQ(of("op (m: parallel) ins(%A[m]) outs(%T[m]) { (a, t) -> add(t, a) }"), "");
  // Several results.
  EXPECT_EQ(of("op (m: parallel) ins(%A[m]) outs(%T[m], %U[m]) { (a, t, u) -> a, a }"), "");
  // A part of the tensor alone, or other elements.
  EXPECT_EQ(of("op (m: parallel) ins(%B[m]) outs(%T[m]) { (b, t) -> b }"), "");
  EXPECT_EQ(of("op (m: parallel) ins(%A[m]) outs(%T[m + 1]) { (a, t) -> a }"), "");
}

TEST(Inline, NotIntoWhatUpdatesIt) {
  EXPECT_EQ(inlinedText(kExp, "op (i: parallel) ins(%A[i]) outs(%T[i]) { (a, t) -> add(t, a) }"),
            "");
}

TEST(Inline, NotWhatIsReadOutside) {
  EXPECT_EQ(inlinedText(kExp,
                        "op (i: parallel) ins(%T[i - 1] pad 0.0_f32, %A[i]) outs(%E[i]) "
                        "{ (t, a, e) -> t }"),
            "");
  EXPECT_EQ(inlinedText(kExp,
                        "op (i: parallel) ins(%T[i] shape, %A[i]) outs(%E[i]) "
                        "{ (t, a, e) -> a }"),
            "");
}

// Nothing but %T says how many positions k has, or would say so first.
TEST(Inline, NotWhereAnExtentWouldBeAnother) {
  const std::string constant = "op (m: parallel) outs(%T[m]) { (t) -> 1.0_f32 }";
  const std::string sum =
      "op (i: parallel, k: reduction) ins(%T[k]) outs(%E[i]) "
      "{ (t, e) -> add(e, t) }";
  EXPECT_NE(inlinedText(kExp, sum), "");
  EXPECT_EQ(inlinedText(constant, sum), "");
  EXPECT_EQ(inlinedText(constant,
                        "op (i: parallel, k: reduction) ins(%T[k], %B[k]) outs(%E[i]) "
                        "{ (t, b, e) -> add(e, mul(t, b)) }"),
            "");
}

TEST(Inline, ComputesTheSame) {
  const std::string text = R"(
    kernel @f(%A: tensor<(I + J) x f32>, %B: tensor<J x f32>) -> (%C: tensor<I x J x f32>)
        level tensors {
      local %T: tensor<(I + J) x f32>
      op (m: parallel) ins(%A[m]) outs(%T[m]) { (a, t) -> mul(a, cast<f32>(index(m * 3))) }
      op (i: parallel, j: parallel) ins(%T[i + j], %B[j]) outs(%C[i, j]) { (t, b, c) -> mul(t, b) }
    })";
  ir::Kernel kernel = ir::test::goodKernel(text);
  auto result = inlined(kernel, std::get<ir::StructuredOp>(kernel.body[0].node),
                        std::get<ir::StructuredOp>(kernel.body[1].node));
  ASSERT_TRUE(result);
  kernel.body = only({*result});
  test::expectComputes(text, kernel);
}

}  // namespace
}  // namespace einc::transforms
