// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Tiles, ways, digits and vectors: one op, and the loops that it becomes.
#include "compiler/ir/test_text.h"
#include "compiler/strategy/plan/apply.h"
#include "compiler/strategy/plan/test_steps.h"
#include "compiler/target/target.h"

namespace einc::strategy {
namespace {

using test::applied;
using test::has;
using test::kChain;
using test::kImage;
using test::kMap;
using test::kProduct;
using test::kSum;
using test::kUnpack;
using test::parsed;
using test::printed;
using test::refused;

TEST(Apply, LoopsWaysAndVectors) {
  std::string text = applied(kMap, "tile m by 8 tile n by 16 vectorize (m: 8, n: 16)");
  EXPECT_TRUE(has(text, "tile m0 : m0_size = 0 .. M by 8 parallel {")) << text;
  EXPECT_TRUE(has(text, "vector (m: 8, n: 16)")) << text;

  text = applied(kMap,
                 "when contiguous(A, n) and M <= 9 { tile n by 16 vectorize (n: 16) } "
                 "otherwise { order n, m loops }");
  EXPECT_TRUE(has(text, "if unit %A[1] and M <= 9 {")) << text;
  EXPECT_TRUE(has(text, "op (n: parallel, m: parallel)")) << text;

  text = applied(kSum,
                 "tile m by 1 cut n at n floordiv 32 * 32 { split n by 32 as block "
                 "vectorize (n: 32) ahead n 64 } rest { vectorize (n: 31) }");
  EXPECT_TRUE(has(text, "op (block: reduction, n: reduction)")) << text;
  EXPECT_TRUE(has(text, "vector (n: 32) ahead n 64")) << text;
  EXPECT_TRUE(has(text, "vector (n: 31)")) << text;

  text = applied(kMap,
                 "cut m at m floordiv 4 * 4 { spread m over 4 as line tile m by 1 tile n by 8 "
                 "vectorize (line: 4, n: 8) } rest { loops }");
  EXPECT_TRUE(has(text, "m + line * (M floordiv 4)")) << text;
  EXPECT_TRUE(has(text, "vector (line: 4, n: 8)")) << text;

  text = applied(kMap,
                 "when contiguous(B, n) { non_temporal B tile m by 1 cut n at line of B (64) { "
                 "vectorize (n: 16) } rest { cut n at n floordiv 16 * 16 { split n by 16 as run "
                 "vectorize (n: 16) } rest { loops } } } otherwise { loops }");
  EXPECT_TRUE(has(text, "non_temporal %B {")) << text;
  EXPECT_TRUE(has(text, "lead lead = %B_m0[0] to 64")) << text;
}

TEST(Apply, Digits) {
  std::string text = applied(kUnpack,
                             "digits m by 16 as high, n by S as x { tile x by 1 tile high by 1 "
                             "tile n by 8 vectorize (m: 16, n: 8) } "
                             "left of m { tile n by 1 vectorize (m: 15) } "
                             "left of n { tile high by 1 order n, m loops }");
  EXPECT_TRUE(has(text, "if 0 < S {")) << text;  // S may be 0 where there are no elements
  EXPECT_TRUE(has(text, "(high, x, m, n) -> %P[high, x, m, n]")) << text;
  EXPECT_TRUE(has(text, "vector (m: 16, n: 8)")) << text;
  EXPECT_TRUE(has(text, "vector (m: 15)")) << text;
  EXPECT_TRUE(has(text, "op (n: parallel, m: parallel)")) << text;

  text = applied(kMap, "tile n by 8 digits m by 4 as m_high { loops } left of m { loops }");
  EXPECT_TRUE(has(text, "m_high * 4 + m")) << text;
}

TEST(Apply, AsManyVectorsAsThereArePositionsFor) {
  std::string text = applied(kMap, "tile m by 1 tile n by 48 vectorize (n: 48) fit n variant");
  EXPECT_TRUE(has(text, "if n0_size <= 16 {")) << text;
  EXPECT_TRUE(has(text, "vector (n: 16) variant")) << text;
  EXPECT_TRUE(has(text, "vector (n: 48) variant")) << text;
  EXPECT_TRUE(has(refused(kMap, "tile n by 24 vectorize (n: 24) fit n"), "whole ones, of 16"));
  EXPECT_TRUE(has(refused(kMap, "tile n by 16 vectorize (n: 16) fit m"), "whole ones, of 16"));
}

// Behind a test for a number, indices have it: but not 0, by which they may divide, nor where they would
// be iterators alone, which have extents.
TEST(Apply, ANumberThatIsTestedIsKnown) {
  const char* moved = R"(
    kernel @f(%A: tensor<L x f32>, %D: tensor<L x f32>, %K: tensor<K x f32>) -> (%B: tensor<M x f32>)
        attr s: i64 level tiled {
      op (m: parallel, k: reduction) ins(%A[m * s + k], %D[m floordiv s], %K[k])
          outs(%B[m]) { (a, d, k1, b) -> add(b, mul(a, mul(d, k1))) }
    })";
  EXPECT_TRUE(has(applied(moved, "when s == 1 { loops } otherwise { loops }"),
                  "if s == 1 {\n    op (m: parallel, k: reduction)\n        ins(%A[m + k], "
                  "%D[m floordiv s]"));
  EXPECT_TRUE(has(applied(moved, "when s == 3 { loops } otherwise { loops }"),
                  "ins(%A[m * 3 + k], %D[m floordiv 3]"));
  for (const char* test : {"s == 0", "s <= 3", "s == 9223372036854775807"})
    EXPECT_FALSE(has(applied(moved, std::string("when ") + test + " { loops } otherwise { loops }"),
                     "%A[m + k]"))
        << test;
}

TEST(Apply, TheLastTileIsKnown) {
  const char* known = R"(
    kernel @f(%A: tensor<M x 70 x f32>) -> (%B: tensor<M x 70 x f32>) level tiled {
      op (m: parallel, n: parallel) ins(%A[m, n]) outs(%B[m, n]) { (a, b) -> exp(a) }
    })";
  const std::string tile = "tile n by 32 when n == 32 { vectorize (n: 32) } otherwise { ";
  EXPECT_TRUE(has(applied(known, tile + "vectorize (n: 6) }"), "vector (n: 6)"));
  EXPECT_TRUE(has(refused(known, tile + "vectorize (n: 5) }"), "more than 5 positions"));
  EXPECT_TRUE(has(refused(kMap, tile + "vectorize (n: 6) }"), "more than 6 positions"));
}

TEST(Apply, WhatNoTestAsksForIsDoneByTheModel) {
  ir::Kernel kernel = ir::test::goodKernel(kMap);
  const ir::StructuredOp op = std::get<ir::StructuredOp>(kernel.body[0].node);
  transforms::Builder builder(kernel);
  std::vector<StepError> wrong;
  class Asked : public Completion {
   public:
    size_t times = 0;

   private:
    Steps choose(const Place&, bool) override {
      ++times;
      return {LoopsStep{}};
    }
  };
  Asked asked;
  const Steps steps = parsed("when 0 < m and 0 < n { when m == 3 { loops } }");
  ScheduleOptions options{target::find("x86-64-v4")};
  apply(builder, {op, operandNames(kernel, op)}, steps, options, wrong, &asked);
  EXPECT_EQ(asked.times, 1u);  // where m is not 3; where there is nothing, nothing is done
  EXPECT_EQ(printed(asked.filled(steps)),
            printed(parsed("when 0 < m and 0 < n { when m == 3 { loops } otherwise { loops } }")));
}

// Behind the end of the last vector, too, positions have to be numbers.
TEST(Apply, PositionsOfVectorsAreNear) {
  auto op = [](const std::string& factor) {
    return "kernel @f(%A: tensor<N x f32>) -> (%B: tensor<N x i64>) level tiled {\n"
           "op (n: parallel) ins(%A[n]) outs(%B[n]) { (a, b) -> index(n * " +
           factor + ") } }";
  };
  applied(op("1000"), "tile n by 8 vectorize (n: 8)");
  EXPECT_TRUE(has(refused(op("1152921504606846976"), "tile n by 8 vectorize (n: 8)"), "64 bits"));
}

TEST(Apply, SaysWhyNot) {
  EXPECT_TRUE(has(refused(kMap, "tile k by 8"), "no iterator 'k' here; there are m, n"));
  EXPECT_TRUE(has(refused(kMap, "tile m by 1 tile m by 1"), "no iterator 'm' here; there are n"));
  EXPECT_TRUE(has(refused(kMap, "tile m by 0"), "a tile has 1 position or more"));
  EXPECT_TRUE(has(refused(kMap, "tile m by N"), "a tile has 1 position or more"));
  EXPECT_TRUE(has(refused(kMap, "tile m by X"), "no iterator, size or attribute 'X' here"));
  EXPECT_TRUE(has(refused(kMap, "vectorize (n: 16)"), "'n' may have more than 16 positions"));
  EXPECT_TRUE(has(refused(kMap, "tile n by 16 vectorize (n: 8)"), "more than 8 positions"));
  EXPECT_TRUE(has(refused(kMap, "tile n by 8 vectorize (n: 8, n: 8)"), "stands twice"));
  EXPECT_TRUE(
      has(refused(kMap, "tile m by 199 tile n by 99 vectorize (m: 199, n: 99)"), "registers"));
  EXPECT_TRUE(has(refused(kMap, "tile n by 8 vectorize (n: 8)", "generic"), "has no vectors"));
  EXPECT_TRUE(has(refused(kMap, "loops loops"), "the op is done"));
  EXPECT_TRUE(has(refused(kMap, "when m == 1 { } tile n by 8"), "two ways"));
  EXPECT_TRUE(
      has(refused(kMap, "cut m at 8 { } rest { }"), "it is not known that 'm' has so many"));
  EXPECT_TRUE(has(refused(kMap, "split m by 8 as x"), "no multiple of 8"));
  EXPECT_TRUE(
      has(refused(kMap, "cut m at m floordiv 8 * 8 { split m by 8 as N } rest { }"), "already"));
  EXPECT_TRUE(has(refused(kMap, "order m"), "names all iterators: m, n"));
  EXPECT_TRUE(has(refused(kMap, "order m, m"), "stands twice"));
  EXPECT_TRUE(has(refused(kMap, "when contiguous(C, n) { }"), "no operand C; there are A, B"));
  EXPECT_TRUE(has(refused(kMap, "non_temporal A"), "A is an input"));
  EXPECT_TRUE(has(refused(kMap, "accumulate (n: 8)"), "no reduction"));
  EXPECT_TRUE(has(refused(kSum, "accumulate (n: 8)"), "'m' has to be done before"));
  EXPECT_TRUE(has(refused(kSum, "tile m by 1 accumulate (n: 12)"), "a power of 2"));
  EXPECT_TRUE(has(refused(kSum, "tile m by 1 accumulate (n: 128)", "generic"), "at most 64 sums"));
  EXPECT_TRUE(has(refused(kSum, "tile n by 8 on threads (1)"), "is a reduction"));
  EXPECT_TRUE(has(refused(kMap, "digits k by 4 as x { }"), "no iterator 'k' here"));
  EXPECT_TRUE(has(refused(kMap, "digits m by 0 as x { }"), "expected 1 or more"));
  EXPECT_TRUE(has(refused(kMap, "digits m by N as x { }"), "where operands divide it"));
  EXPECT_TRUE(has(refused(kUnpack, "digits m by S as x { }"), "where operands divide it"));
  EXPECT_TRUE(has(refused(kMap, "digits m by 4 as n { }"), "something called 'n' already"));
  EXPECT_TRUE(has(refused(kMap, "digits m by 4 as x, n by 4 as x { }"), "something called 'x'"));
  EXPECT_TRUE(has(refused(kMap, "digits m by 4 as x, m by 8 as y { }"), "'m' stands twice"));
  EXPECT_TRUE(has(refused(kMap, "digits m by 4 as x { } loops"), "stands in its parts"));
  EXPECT_TRUE(has(refused(kMap, "non_temporal B digits m by 4 as x { }"), "before 'non_temporal'"));
  EXPECT_TRUE(has(refused(kUnpack, "digits m by 16 as x { } left of m { tile x by 2 }"),
                  "no iterator 'x' here"));
  EXPECT_TRUE(has(refused(kMap, "transpose m to n"), "to be known to be contiguous"));
}

// Several iterators that are one line in memory: a test of that, and what stands behind it, on the same views.
TEST(Apply, AsksForLines) {
  std::string text = applied(kMap,
                             "when 0 < m and 0 < n and contiguous(A, m * n) and contiguous(B, m * "
                             "n) { collapse m, n as x tile x by "
                             "64 vectorize (x: 64) } otherwise { loops }");
  EXPECT_TRUE(has(text, "if 0 < M and 0 < N and unit %A_m[0] and unit %B_m[0] {")) << text;
  EXPECT_TRUE(has(text, "(m) -> %A_m[m0 + m]")) << text;
  EXPECT_FALSE(has(text, "%A_m_1")) << text;
  // What is the same for all positions of some of them is read again and again.
  EXPECT_TRUE(has(applied(kProduct, "collapse m, n as x loops"), "(m, k) -> %A[m floordiv N, k]"));
  EXPECT_TRUE(has(refused(kProduct, "when even(A, m * k) { }"),
                  "are a reduction and none: iterators of one kind become one"));
}

TEST(Apply, CollapsesReductions) {
  std::string text = applied(kImage, "collapse p, q, c as k tile k by 8 loops");
  EXPECT_TRUE(has(text, "tile p0 : p0_size = 0 .. ")) << text;
  EXPECT_TRUE(has(refused(kChain, "collapse n, m as k loops"), "may not come in another order"));
  EXPECT_TRUE(has(applied(kChain, "collapse m, n as k loops"), "op (m: reduction)"));
}

}  // namespace
}  // namespace einc::strategy
