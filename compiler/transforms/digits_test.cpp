// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/digits.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

// The digits of the first op, and the kernel with it in its parts.
std::string split(const std::string& text, int64_t least, std::string* found = nullptr) {
  ir::Kernel kernel = ir::test::goodKernel(text);
  const ir::StructuredOp op = std::get<ir::StructuredOp>(kernel.body[0].node);
  std::vector<Digit> digits = findDigits(kernel, op, least);
  for (const Digit& digit : digits)
    if (found) *found += digit.iterator + " by " + digit.base.str() + "; ";
  if (digits.empty()) return "";
  Builder builder(kernel);
  kernel.body = splitDigits(builder, op, digits,
                            [](const ir::StructuredOp& part, size_t) { return only({part}); });
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return ir::print(kernel);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Digits, AnIteratorBecomesTwo) {
  std::string text = split(R"(
    kernel @f(%P: tensor<K x 16 x f32>) -> (%A: tensor<M x f32>) level tiled {
      op (m: parallel) ins(%P[m floordiv 16, m mod 16]) outs(%A[m])
          { (p, a) -> add(p, cast<f32>(index(m))) }
    })",
                           16);
  EXPECT_TRUE(has(text, "(m) -> %P[M floordiv 16, m]")) << text;
  EXPECT_TRUE(has(text, "(m) -> %A[(M floordiv 16) * 16 + m]")) << text;
  EXPECT_TRUE(has(text, "tensor<(M floordiv 16) x 16 x f32> = (m_high, m) -> %P[m_high, m]"))
      << text;
  EXPECT_TRUE(has(text, "(m_high, m) -> %A[m_high * 16 + m]")) << text;
  EXPECT_TRUE(has(text, "op (m_high: parallel, m: parallel)")) << text;
  EXPECT_TRUE(has(text, "index(m_high * 16 + m)")) << text;
}

// Digits of a view are in the order in which they lie in memory.
TEST(Digits, TheInnermostIsTheLast) {
  std::string text = split(R"(
    kernel @f(%P: tensor<K x L x 16 x 8 x f32>) -> (%A: tensor<M x N x f32>) level tiled {
      op (m: parallel, n: parallel)
          ins(%P[n floordiv 8, m floordiv 16, m mod 16, n mod 8]) outs(%A[m, n]) { (p, a) -> p }
    })",
                           8);
  EXPECT_TRUE(has(text, "(n_high, m_high, m, n) -> %P[n_high, m_high, m, n]")) << text;
  EXPECT_TRUE(has(text, "(m_high, m, n_high, n) -> %A[m_high * 16 + m, n_high * 8 + n]")) << text;
}

TEST(Digits, NothingIsLeftOfAKnownMultiple) {
  std::string text = split(R"(
    kernel @f(%P: tensor<4 x 16 x f32>) -> (%A: tensor<64 x f32>) level tiled {
      op (m: parallel) ins(%P[m floordiv 16, m mod 16]) outs(%A[m]) { (p, a) -> p }
    })",
                           2);
  EXPECT_FALSE(has(text, "_left")) << text;
  EXPECT_TRUE(has(text, "tensor<4 x 16 x f32> = (m_high, m)")) << text;
}

TEST(Digits, SeveralIteratorsAndPads) {
  std::string found, text = split(R"(
    kernel @f(%P: tensor<K x L x S x f32>) -> (%A: tensor<M x N x f32>) level tiled {
      op (m: parallel, n: parallel) ins(%P[m floordiv S, n floordiv S, m mod S] pad 0.0_f32)
          outs(%A[m, n]) { (p, a) -> p }
    })",
                                  16, &found);
  EXPECT_EQ(found, "m by S; n by S; ");
  EXPECT_TRUE(has(text, "(n, m_high, n_high, m) -> %P[m_high, n_high, m] pad 0.0_f32")) << text;
}

TEST(Digits, WhatIsNoneStays) {
  std::string found;
  auto of = [&](const std::string& index) {
    return split(
        "kernel @f(%P: tensor<K x f32>, s: i64) -> (%A: tensor<M x f32>) level tiled {\n"
        "op (m: parallel) ins(%P[" +
            index + "] pad 0.0_f32) outs(%A[m]) { (p, a) -> p }\n}",
        8, &found);
  };
  EXPECT_EQ(of("m floordiv 4"), "");        // fewer than lanes
  EXPECT_EQ(of("(m + 1) floordiv 8"), "");  // not by itself
  EXPECT_EQ(of("m floordiv s"), "");        // may be negative
  EXPECT_EQ(found, "");
}

}  // namespace
}  // namespace einc::transforms
