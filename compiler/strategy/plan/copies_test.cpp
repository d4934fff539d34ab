// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What else is copied: inputs, with borders or in another type, and tiles on scratch.
#include "compiler/strategy/plan/test_steps.h"

namespace einc::strategy {
namespace {

using test::applied;
using test::has;
using test::kImage;
using test::kProduct;
using test::refused;

TEST(Apply, Copies) {
  std::string text = applied(kProduct, "copy B (n, k) as turned { order k, n loops } loops");
  EXPECT_TRUE(has(text, "alloc %turned: tensor<N x K x f32>")) << text;
  EXPECT_TRUE(has(text, "ins(%A[m, k], %turned[n, k])")) << text;
  text = applied(kImage, "convert F to i32 loops");
  EXPECT_TRUE(has(text, "%converted[p, q, c, n]")) << text;

  EXPECT_TRUE(has(refused(kProduct, "copy C (m, n) as t { }"), "C is an output"));
  EXPECT_TRUE(has(refused(kProduct, "copy B (n) as t { }"), "has here: k, n"));
  EXPECT_TRUE(has(refused(kProduct, "tile m by 8 copy B (n, k) as t { }"), "tile n before"));
  EXPECT_TRUE(has(refused(kProduct, "tile n by 99 tile k by 99 copy B (n, k) as t on stack { }"),
                  "32 KiB"));
  EXPECT_TRUE(has(refused(kProduct, "convert B to i32"), "does not cast B"));
}

TEST(Apply, Borders) {
  const std::string window = R"(
    kernel @f(%A: tensor<H x f32>, %W: tensor<3 x f32>) -> (%C: tensor<H x f32>) level tiled {
      op (m: parallel, k: reduction) ins(%A[m + k - 1] pad 0.0_f32, %W[k]) outs(%C[m])
          { (a, w, c) -> add(c, mul(a, w)) }
    })";
  const std::string why = refused(window, "border A loops");
  const size_t begin = why.find("when "), end = why.find(" { ... }");
  ASSERT_TRUE(begin < end && end < why.size()) << why;
  std::string text = applied(window, why.substr(begin, end - begin) + " { border A loops }");
  EXPECT_TRUE(has(text, "ins(%padded_A_at[m, k], %W[k])")) << text;

  // What is known is not to be asked.
  std::string known = window;
  for (size_t at; (at = known.find("<H")) != std::string::npos;) known.replace(at, 2, "<40");
  EXPECT_TRUE(has(applied(known, "border A loops"), "ins(%padded_A_at[m, k], %W[k])"));

  EXPECT_TRUE(has(refused(window, "border W"), "not read outside"));
  EXPECT_TRUE(has(refused(window, "border C"), "before steps that change C"));
  EXPECT_TRUE(has(refused(window, "tile m by 8 border A"), "before steps that change A"));
}

// A copy has whole blocks of a reduction, where what is added behind its end is 0.
TEST(Apply, BordersInBlocks) {
  auto window = [](const std::string& a, const std::string& w, const std::string& term) {
    return "kernel @f(%A: tensor<40 x 3 x " + a + ">, %W: tensor<5 x 3 x " + w +
           ">) -> (%C: tensor<40 x i32>) level tiled { op (m: parallel, k: reduction, c: "
           "reduction) "
           "ins(%A[m + k - 1, c] pad 7_" +
           a + ", %W[k, c]) outs(%C[m]) { (a, w, c) -> add(c, " + term + ") } }";
  };
  const std::string product = "mul(cast<i32>(a), cast<i32>(w))",
                    bytes = window("u8", "i8", product);
  const char* znver5 = "znver5";
  const std::string text = applied(bytes, "border A (c: 4) loops", nullptr, znver5);
  EXPECT_TRUE(has(text, "%padded_A: tensor<44 x 4 x u8>")) << text;
  EXPECT_TRUE(has(text, "%padded_W: tensor<5 x 4 x i8> = (k, c) -> %W[k, c] pad 0_i8")) << text;

  EXPECT_TRUE(has(refused(bytes, "border A (m: 4) loops", znver5), "positions of a reduction"));
  EXPECT_TRUE(has(refused(bytes, "border A (k: 4) loops", znver5), "no sums of iterators"));
  EXPECT_TRUE(has(refused(bytes, "border A (c: 0) loops", znver5), "up to 64 positions"));
  EXPECT_TRUE(has(refused(bytes, "border A (c: 65) loops", znver5), "up to 64 positions"));
  EXPECT_TRUE(has(refused(window("u8", "i8", "add(cast<i32>(a), cast<i32>(w))"),
                          "border A (c: 4) loops", znver5),
                  "products of integers"));
  EXPECT_TRUE(has(refused(window("u8", "i8", "mul(cast<i32>(a), sub(cast<i32>(w), 3_i32))"),
                          "border A (c: 4) loops", znver5),
                  "products of integers"));
}

TEST(Apply, TilesOnScratch) {
  const std::string tile = "tile n by 16 tile m by 8 ";
  const std::string steps = tile +
                            "when contiguous(C, n) { vectorize (m: 8, n: 16) } otherwise { "
                            "scratch (m: 8, n: 16) { vectorize (m: 8, n: 16) } }";
  std::string text = applied(kProduct, steps);
  EXPECT_TRUE(has(text, "alloc %scratch: tensor<8 x 16 x f32> in stack")) << text;
  EXPECT_TRUE(has(text, "outs(%scratch[m, n]) { (scratch) -> -0.0_f32 }")) << text;
  EXPECT_FALSE(has(text, "part[m, n]) outs(%C_n0_m0[m, n]) { (part, c) -> part } vector (n: 16)"));
  text = applied(kProduct, steps, nullptr, "x86-64-v4", /*keepsOrder=*/true);
  EXPECT_FALSE(has(text, "-0.0_f32")) << text;  // begins with a copy

  EXPECT_TRUE(has(refused(kProduct, "scratch (m: 8, n: 16) { }"), "more than 8 positions"));
  EXPECT_TRUE(has(refused(kProduct, tile + "scratch (m: 8, k: 16) { }"), "is a reduction"));
  EXPECT_TRUE(has(refused(kProduct, tile + "scratch (m: 8, m: 16) { }"), "stands twice"));
  EXPECT_TRUE(has(refused(kProduct, tile + "scratch (m: 8, n: 16) { } loops"), "stands in it"));
  EXPECT_TRUE(has(refused(kProduct, tile + "scratch (m: 8, n: 16) in pieces of 3 { }"), "pieces"));
  EXPECT_TRUE(has(refused(kProduct, "function f { } loops"), "stands in it"));
  EXPECT_TRUE(has(refused(kProduct, "keep (m: m, n: n)"), "on their tiles"));
  EXPECT_TRUE(has(refused(kProduct, "results (m: 8) { }"), "no other ops"));
}

}  // namespace
}  // namespace einc::strategy
