// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/multiply_narrow.h"

#include <string>

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::has;

// A spec of A and B, i32 scalars x and z, and what is added for each of these.
std::string spec(const std::string& a, const std::string& b, const std::string& term,
                 const std::string& body) {
  return "kernel @f(%A: tensor<2 x K x " + a + ">, %B: tensor<K x 16 x " + b +
         ">, x: u8, z: i8) -> (%C: tensor<2 x 16 x i32>) level @ { " +
         (body.empty() ? "op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) "
                         "outs(%C[m, n]) { (a, b, c) -> add(c, " +
                             term + ") }"
                       : body) +
         " }";
}

// The same in a vector region, by the pass.
std::string narrowed(const std::string& term, const std::string& a = "u8",
                     const std::string& b = "i8", const char* pairs = "vpdpwssd") {
  const std::string body =
      "vector (m: 2, n: 16) { let c: i32 over (m, n) = %C[m, n] "
      "for k = 0 .. K reduction { let a: " +
      a + " over (m) = %A[m, k] let b: " + b + " over (n) = %B[k, n] c = add(c, " + term +
      ") } %C[m, n] = c }";
  const ir::Kernel before = ir::test::goodKernel(test::at("vector", spec(a, b, "", body)));
  const ir::Kernel after = multiplyNarrow(before, pairs ? ir::findInstruction(pairs) : nullptr);
  test::expectComputes(test::at("tensors", spec(a, b, term, "")), after, {4});
  return ir::print(after);
}

TEST(MultiplyNarrow, WhatIsTakenFromVectorsIsMadeUpForBehindTheSum) {
  const std::string text =
      narrowed("mul(sub(cast<i32>(a), cast<i32>(x)), sub(cast<i32>(b), cast<i32>(z)))");
  EXPECT_TRUE(has(text, "let sum: i32 over (m) = 0_i32")) << text;
  EXPECT_TRUE(has(text, "sum = add(sum, sub(cast<i32>(a), cast<i32>(x)))")) << text;
  EXPECT_TRUE(has(text, "c = sub(c, mul(sum, cast<i32>(z)))")) << text;
  EXPECT_TRUE(has(text,
                  "c = vpdpwssd(c, cast<i32>(cast<u16>(sub(cast<i32>(a), cast<i32>(x)))), "
                  "cast<i32>(b))"))
      << text;
}

TEST(MultiplyNarrow, FactorsInAnyOrder) {
  const std::string text = narrowed("mul(sub(cast<i32>(b), 100_i32), cast<i32>(a))", "i8", "u8");
  EXPECT_TRUE(has(text, "c = sub(c, mul(sum, 100_i32))")) << text;
  EXPECT_TRUE(has(text, "c = add(c, mul(cast<i32>(a), cast<i32>(b)))")) << text;
}

TEST(MultiplyNarrow, ProductsOfSixteenBits) {
  for (const char* pairs : {"vpdpwssd", "vpmaddwd"})
    EXPECT_TRUE(has(narrowed("mul(cast<i32>(a), cast<i32>(b))", "i8", "i8", pairs),
                    std::string("c = ") + pairs +
                        "(c, cast<i32>(cast<u16>(cast<i32>(a))), "
                        "cast<i32>(b))"));
  EXPECT_TRUE(has(narrowed("mul(cast<i32>(a), cast<i32>(b))", "i16", "i16"), "vpdpwssd"));
}

// Of six rows and one vector the upper half of this is emptied.
TEST(MultiplyNarrow, TheFewerAreEmptied) {
  const std::string text =
      "level vector { vector (m: 6, n: 16) { let c: i32 over (m, n) = 0_i32 "
      "for k = 0 .. K reduction { let a: i8 over (m) = %A[m, k] let b: i8 "
      "over (n) = %B[k, n] c = add(c, mul(cast<i32>(a), cast<i32>(b))) } "
      "%C[m, n] = c } }";
  const ir::Kernel kernel = multiplyNarrow(
      ir::test::goodKernel("kernel @f(%A: tensor<6 x K x i8>, %B: tensor<K x 16 x i8>) -> (%C: "
                           "tensor<6 x 16 x i32>) " +
                           text),
      ir::findInstruction("vpdpwssd"));
  test::expectGood(kernel);
  EXPECT_TRUE(
      has(ir::print(kernel), "c = vpdpwssd(c, cast<i32>(a), cast<i32>(cast<u16>(cast<i32>(b))))"));
}

TEST(MultiplyNarrow, NothingElse) {
  EXPECT_FALSE(has(narrowed("mul(cast<i32>(a), cast<i32>(b))"), "vpdpwssd"));  // compilers do
  EXPECT_FALSE(has(narrowed("mul(cast<i32>(a), cast<i32>(b))", "i8", "i8", nullptr), "vpdpwssd"));
  // More than 16 bits.
  EXPECT_FALSE(has(narrowed("mul(sub(cast<i32>(a), 70000_i32), cast<i32>(b))"), "vpdpwssd"));
  EXPECT_FALSE(has(narrowed("mul(cast<i32>(a), cast<i32>(b))", "i8", "u16"), "vpdpwssd"));
  // What differs from position to position.
  EXPECT_FALSE(has(narrowed("mul(cast<i32>(b), sub(cast<i32>(b), cast<i32>(z)))"), "sum"));
  // Outside of loops.
  const std::string once = spec("i8", "i8", "",
                                "vector (m: 2, n: 16) { let c: i32 over (m, n) = 0_i32 let a: i8 "
                                "over (m) = %A[m, 0] let b: i8 over (n) = %B[0, n] c = add(c, "
                                "mul(cast<i32>(a), cast<i32>(b))) %C[m, n] = c }");
  EXPECT_FALSE(has(ir::print(multiplyNarrow(ir::test::goodKernel(test::at("vector", once)),
                                            ir::findInstruction("vpdpwssd"))),
                   "vpdpwssd"));
}

}  // namespace
}  // namespace einc::transforms
