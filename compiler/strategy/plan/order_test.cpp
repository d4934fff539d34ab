// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Terms that keep their order, and vectors that begin at lines.
#include "compiler/strategy/plan/test_steps.h"

namespace einc::strategy {
namespace {

using test::applied;
using test::has;
using test::kChain;
using test::kMap;
using test::kSum;
using test::refused;

TEST(Apply, KeepsTheOrderOfTerms) {
  const std::string lanes = "tile m by 1 tile n by 16 vectorize (n: 16)";
  applied(kSum, lanes);
  EXPECT_TRUE(has(refused(kSum, lanes, "x86-64-v4", true), "is kept (--fp=strict)"));
  applied(kSum, "tile n by 16 loops", nullptr, "x86-64-v4", true);  // tile by tile
  applied(kChain, "tile m by 4 loops");
  EXPECT_TRUE(has(refused(kChain, "tile n by 4 loops"), "may not come in another order"));
  EXPECT_TRUE(has(refused(kChain, "digits m by 4 as x { }"), "may not come in another order"));
  // One m at a time, where not all of n is in a tile.
  const std::string boxes = "when 1 <= m and 1 <= n { let b = min(n, 64) let a = min(m, ";
  const std::string tiles = ") tile m by a tile n by b loops }";
  applied(kChain, boxes + "64 floordiv b" + tiles);
  EXPECT_TRUE(has(refused(kChain, boxes + "65 floordiv b" + tiles), "may not come in another"));
  EXPECT_TRUE(has(refused(kChain, "order n, m loops"), "may not come in another order"));
}

// Vectors that go around the caches would fault where they do not begin at lines.
TEST(Apply, NonTemporalVectorsBeginAtLines) {
  const std::string begin = "when contiguous(B, n) { non_temporal B tile m by 1 ";
  const char* known = R"(
    kernel @f(%A: tensor<M x 64 x f32>) -> (%B: tensor<M x 64 x f32>) level tiled {
      op (m: parallel, n: parallel) ins(%A[m, n]) outs(%B[m, n]) { (a, b) -> exp(a) }
    })";
  EXPECT_TRUE(has(refused(known, begin + "vectorize (n: 64) }"), "begin at lines of their size"));
  EXPECT_TRUE(has(refused(known, begin + "tile n by 16 vectorize (n: 16) }"), "begin at lines"));
  EXPECT_TRUE(has(refused(kMap, begin + "cut n at line of B (64) { loops } rest { "
                                        "cut n at n floordiv 24 * 24 { split n by 24 as run "
                                        "vectorize (n: 24) } rest { loops } } }"),
                  "begin at lines"));
  // Of all lines it may be known.
  auto where = [](const std::string& test, const std::string& tiles) {
    return "when contiguous(B, n) and " + test + " { non_temporal B tile m by 1 " + tiles +
           " } otherwise { loops }";
  };
  applied(known, where("aligned(B, n, 64)", "vectorize (n: 64)"));
  applied(known, where("aligned(B, n, 64)", "tile n by 32 vectorize (n: 32)"));
  applied(known, where("aligned(B, n, 16) and aligned(B, n, 64)", "vectorize (n: 64)"));
  EXPECT_TRUE(has(refused(known, where("aligned(B, n, 32)", "vectorize (n: 64)")), "begin at"));
  const char* odd = R"(
    kernel @f(%A: tensor<M x 48 x f32>) -> (%B: tensor<M x 48 x f32>) level tiled {
      op (m: parallel, n: parallel) ins(%A[m, n]) outs(%B[m, n]) { (a, b) -> exp(a) }
    })";
  EXPECT_TRUE(
      has(refused(odd, where("aligned(B, n, 64)", "tile n by 24 vectorize (n: 24)")), "begin at"));
  EXPECT_TRUE(has(refused(known, where("aligned(A, n, 64)", "vectorize (n: 64)")), "begin at"));
  EXPECT_TRUE(has(refused(kMap, "non_temporal B tile m by 1 cut n at line of B (64) { } rest { }"),
                  "when contiguous(B, n)"));
  EXPECT_TRUE(has(refused(kMap, "when contiguous(B, n) { cut n at line of B (64) { } rest { } }"),
                  "tile the iterators but 'n' by 1"));
}

}  // namespace
}  // namespace einc::strategy
