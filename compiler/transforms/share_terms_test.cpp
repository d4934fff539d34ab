// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/share_terms.h"

#include "compiler/transforms/test_forms.h"
#include "compiler/transforms/unroll.h"

namespace einc::transforms {
namespace {

using test::count;
using test::has;

// Windows of `width` elements, `positions` beside each other, by the payload.
std::string windows(const std::string& payload, int64_t positions, int64_t width,
                    const std::string& type = "f32", const std::string& unrolled = " unrolled") {
  const std::string w = std::to_string(positions), k = std::to_string(width);
  const std::string text = "kernel @f(%A: tensor<16 x 4 x T>) -> (%C: tensor<" + w +
                           " x 4 x T>) level vector { view %A_at: tensor<" + w + " x " + k +
                           " x 4 x T> = (w, k, n) -> %A[w + k, n] vector (w: " + w +
                           ", n: 4) { let o: T over (w, n) = %C[w, n] unit n for k = 0 .. " + k +
                           " reduction" + unrolled +
                           " { let a: T over (w, n) = %A_at[w, k, n] unit n o = " + payload +
                           " } %C[w, n] unit n = o } }";
  std::string typed;
  for (char c : text) typed += c == 'T' ? type : std::string(1, c);
  const ir::Kernel before = ir::test::goodKernel(typed);
  VectorShape shape{type == "f64" ? 32 : 16};
  shape.repeats = true;
  const ir::Kernel after = unroll(before, shape);
  for (const ir::Violation& violation : ir::verify(after)) ADD_FAILURE() << violation.str();
  test::expectComputes(typed, after);
  return ir::print(after);
}

// Of two windows of three: the two elements that both see are compared once, and each is loaded once.
TEST(ShareTerms, WindowsBesideEachOther) {
  const std::string text = windows("max(o, a)", 2, 3);
  EXPECT_EQ(count(text, "let term"), 4U) << text;
  EXPECT_EQ(count(text, "let both"), 1U) << text;
  EXPECT_EQ(count(text, "= max("), 5U) << text;
  EXPECT_TRUE(has(text, "for k = 0 .. 1 reduction {")) << text;
  EXPECT_EQ(count(windows("min(a, o)", 4, 3, "f64"), "let both"), 2U);
  EXPECT_EQ(count(windows("max(o, neg(a))", 2, 3), "let both"), 1U);
}

// Nothing in common, sums, integers, loops that stay loops, and what is not added as it is.
TEST(ShareTerms, WhatStays) {
  for (const std::string& text :
       {windows("max(o, a)", 1, 3), windows("max(o, a)", 3, 1), windows("add(o, a)", 2, 3),
        windows("max(o, a)", 2, 3, "i32"), windows("max(o, a)", 2, 3, "f32", ""),
        windows("max(neg(o), a)", 2, 3)})
    EXPECT_FALSE(has(text, "both")) << text;
}

// What is outside of a view is no element, though the place would be one.
TEST(ShareTerms, OutsideIsNoElement) {
  const ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f(%A: tensor<16 x 4 x f32>) -> (%C: tensor<2 x 4 x f32>) level hardware { view "
      "%A_at: tensor<2 x 2 x 4 x f32> = (w, k, n) -> %A[w + k, n] vector (n: 4) { let o: f32 over "
      "(n) = %C[0, n] unit n let p: f32 over (n) = %C[1, n] unit n for k = 0 .. 2 reduction "
      "unrolled { o = max(o, %A_at[0, k, n] pad 9.0_f32 unit n) p = max(p, %A_at[1, k - 1, n] pad "
      "9.0_f32 unit n) } %C[0, n] unit n = o %C[1, n] unit n = p } }");
  facts::Facts facts(kernel);
  facts.enter(std::get<ir::View>(kernel.body[0].node));
  ir::Kernel changed = kernel;
  Builder builder(changed);
  shareTerms(builder, std::get<ir::Vector>(changed.body[1].node), facts);
  // A_at[0, 0] and the pad in front of A_at[1, 0] are not the same.
  EXPECT_EQ(ir::print(changed), ir::print(kernel));
}

}  // namespace
}  // namespace einc::transforms
