// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/widen_sums.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::has;

std::string widened(const std::string& body, const std::string& type = "f16") {
  std::string text =
      "kernel @f(%A: tensor<M x K x T>, %B: tensor<K x T>) -> (%C: tensor<M x T>) level tensors "
      "{ " +
      body + " }";
  std::string typed;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool isType = text[i] == 'T' && !isalpha(text[i - 1]) && !isalpha(text[i + 1]);
    typed += isType ? type : std::string(1, text[i]);
  }
  const ir::Kernel after = widenSums(ir::test::goodKernel(typed));
  for (const ir::Violation& violation : ir::verify(after)) ADD_FAILURE() << violation.str();
  return ir::print(after);
}

std::string sum(const std::string& result, const std::string& outputs = "%C[m]") {
  return "op (m: parallel, k: reduction) ins(%A[m, k], %B[k]) outs(" + outputs +
         ") { (a, b, c) -> " + result + " } ";
}

TEST(WidenSums, WhatIsThereIsAddedAtTheEnd) {
  for (const std::string& type : {"f16", "bf16"}) {
    const std::string text = widened(sum("add(c, mul(a, b))"), type);
    EXPECT_TRUE(has(text, "outs(%C_wide[m]) { (c_wide) -> -0.0_f32 }")) << text;
    EXPECT_TRUE(has(text, "{ (a, b, c_wide) -> add(c_wide, mul(cast<f32>(a), cast<f32>(b))) }"))
        << text;
    EXPECT_TRUE(has(text, "{ (c_wide, c) -> cast<" + type + ">(add(cast<f32>(c), c_wide)) }"))
        << text;
  }
}

TEST(WidenSums, ANumberThatIsThereIsWhatItBeginsWith) {
  const std::string text =
      widened("op (m: parallel) outs(%C[m]) { (c) -> 3.0_T } " + sum("add(mul(a, b), c)"));
  EXPECT_TRUE(has(text, "outs(%C_wide[m]) { (c_wide) -> 3.0_f32 }")) << text;
  EXPECT_TRUE(has(text, "outs(%C[m]) { (c_wide, c) -> cast<f16>(c_wide) }")) << text;
  EXPECT_FALSE(has(text, "0.0_f16")) << text;
}

// Terms that are no products are rounded as the spec says; of a sum in two statements there is one end.
TEST(WidenSums, TermsAndSeveralSums) {
  const std::string text = widened(sum("add(c, sub(a, mul(a, b)))") + sum("add(c, square(a))"));
  EXPECT_TRUE(has(text, "add(c_wide, cast<f32>(sub(a, mul(a, b))))")) << text;
  EXPECT_TRUE(has(text, "add(c_wide, square(cast<f32>(a)))")) << text;
  EXPECT_EQ(test::count(text, "cast<f16>"), 1U) << text;
  EXPECT_EQ(test::count(text, "-0.0_f32"), 1U) << text;
}

// Differences; what an op before has computed; and a part of the output.
TEST(WidenSums, OtherSums) {
  EXPECT_TRUE(has(widened(sum("sub(c, a)")), "sub(c_wide, cast<f32>(a))"));
  std::string text = widened("op (m: parallel) ins(%A[m, 0]) outs(%C[m]) { (a, c) -> neg(a) } " +
                             sum("add(c, mul(a, b))"));
  EXPECT_TRUE(has(text, "(a, c_wide) -> cast<f32>(neg(a))")) << text;
  EXPECT_TRUE(has(text, "(c_wide, c) -> cast<f16>(c_wide)")) << text;
  text = widened(
      "op (m: reduction, k: reduction) ins(%A[m, k], %B[k]) outs(%C[0]) { (a, b, c) -> "
      "add(c, mul(a, b)) } ");
  EXPECT_TRUE(has(text, "op () ins(%C_wide[]) outs(%C[0])")) << text;
}

// Two sums at other positions, or of other iterators, are two.
TEST(WidenSums, SumsAtOtherPositions) {
  const std::string other =
      "op (n: parallel, k: reduction) ins(%A[n, k]) outs(%C[n]) { (a, c) -> "
      "add(c, a) } ";
  EXPECT_EQ(test::count(widened(sum("add(c, a)") + other), "cast<f16>"), 2U);
  EXPECT_EQ(test::count(widened(sum("add(c, a)") + sum("add(c, b)")), "cast<f16>"), 1U);
}

TEST(WidenSums, WhatStays) {
  for (const std::string& body :
       {sum("max(c, mul(a, b))"), sum("add(c, mul(a, c))"), sum("add(a, b)"),
        std::string("op (m: parallel) outs(%C[m]) { (c) -> add(c, c) } ")}) {
    const std::string text = widened(body);
    EXPECT_FALSE(has(text, "wide")) << text;
  }
  EXPECT_FALSE(has(widened(sum("add(c, mul(a, b))"), "f32"), "wide"));
}

}  // namespace
}  // namespace einc::transforms
