// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Inputs in panels, and several iterators as one.
#include "compiler/strategy/plan/test_steps.h"

namespace einc::strategy {
namespace {

using test::applied;
using test::has;
using test::kImage;
using test::kMap;
using test::kProduct;
using test::refused;

TEST(Apply, PanelsAreReadTileByTile) {
  const char* product = kProduct;
  std::string text = applied(product,
                             "tile n by 96 tile k by 32 pack B (n: 48) tile m by 8 "
                             "tile n by 48 vectorize (m: 8, n: 48)");
  EXPECT_TRUE(has(text, "alloc %packed_B: tensor<2 x 32 x 48 x f32>")) << text;
  EXPECT_TRUE(has(text, "-> %packed_B[n02 floordiv 48, k, n]")) << text;

  EXPECT_TRUE(
      has(refused(product, "pack B (n: 48)"), "the size of the panels is to be known: tile n"));
  EXPECT_TRUE(has(refused(product, "pack C (n: 48)"), "C is an output"));
  EXPECT_TRUE(has(refused(product, "pack B (m: 8)"), "two dimensions, one along 'm'"));
  EXPECT_TRUE(has(refused(product, "tile n by 9 tile k by 9 pack B (n: 9)"), "an even number"));
  const std::string packs = "tile n by 96 tile k by 32 pack B (n: 48) ";
  EXPECT_TRUE(has(refused(product, packs + "tile n by 32 loops"), "tile n by 48 before"));
  EXPECT_TRUE(has(refused(product, packs + "tile k by 8 loops"), "tile n by 48 before"));
  EXPECT_TRUE(has(refused(product, packs + "loops"), "tile n by 48 before"));
  EXPECT_TRUE(has(refused(product, packs), "tile n by 48 before"));
  EXPECT_TRUE(has(refused(product, packs + "pack B (n: 48)"), "packed already"));
  EXPECT_TRUE(
      has(refused(product, "tile n by 1000000 tile k by 1000000 pack B (n: 48)"), "16 GiB"));
}

// Both inputs are packed in words of one instruction, and what is next takes from sums what they were moved by.
TEST(Apply, PanelsOfAnInstructionsWords) {
  const std::string op =
      "{ op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) { (a, "
      "b, "
      "c) -> add(c, mul(cast<i32>(a), cast<i32>(b))) } }";
  auto product = [&](const std::string& a, const std::string& b) {
    return "kernel @f(%A: tensor<M x K x " + a + ">, %B: tensor<K x N x " + b +
           ">) -> (%C: tensor<M x N x i32>) level tiled " + op;
  };
  auto packed = [](const std::string& forB, const std::string& forA, const std::string& then) {
    return "tile n by 48 tile k by 61 pack B (n: 48) along k as p " + forB +
           " tile m by 8 pack A (m: 8) along k as p " + forA + " tile n by 48 tile m by 8 " + then;
  };
  const std::string bytes = product("i8", "i8"), row = "for vpdpbusd", pairs = "for vpmaddwd";
  const char* znver5 = "znver5";
  const std::string tile = "vectorize (m: 8, n: 48)";
  std::string text = applied(bytes, packed(row, row, tile), nullptr, znver5);
  EXPECT_TRUE(has(text, "alloc %packed_A: tensor<1 x 16 x 8 x i32>")) << text;
  EXPECT_TRUE(has(text, "xor(")) << text;
  EXPECT_TRUE(has(text, "vpdpbusd(0_i32, 16843009_i32, packed_b_panel)")) << text;
  EXPECT_TRUE(has(text, ", moved_b_panel1) } vector (m: 8, n: 48)")) << text;
  EXPECT_TRUE(has(text, ", vpdpbusd(0_i32, packed_a_panel, packed_b_panel2))")) << text;
  text = applied(product("u8", "i8"), packed(row, row, "loops"), nullptr, znver5);
  EXPECT_FALSE(has(text, "moved")) << text;

  EXPECT_TRUE(has(refused(bytes, packed(row, "", tile), znver5), "and this one is not"));
  EXPECT_TRUE(
      has(refused(bytes, packed("", row, tile), znver5), "another input is not packed for"));
  EXPECT_TRUE(
      has(refused(bytes, packed(row, pairs, tile), znver5), "another input is not packed for"));
  EXPECT_TRUE(
      has(refused(bytes, packed("for vp", "", tile), znver5), "there are vpdpbusd, vpdpwssd"));
  EXPECT_TRUE(
      has(refused(bytes, packed(row, row, tile), "x86-64-v3"), "x86-64-v3 has no vpdpbusd"));
  EXPECT_TRUE(has(refused(product("i16", "i8"), packed(row, row, tile), znver5),
                  "does not add what vpdpbusd does"));
  EXPECT_TRUE(has(refused(bytes, "tile n by 48 tile k by 8 pack B (n: 48) for vpdpbusd", znver5),
                  "words are of several positions"));
  EXPECT_TRUE(has(refused(bytes, packed(row, row, "tile p by 4 loops"), znver5), "vectorize it"));
  EXPECT_TRUE(has(refused(bytes, packed(row, row, "tile n by 16 loops"), znver5), "vectorize it"));
  EXPECT_TRUE(has(refused(bytes, packed(row, row, ""), znver5), "vectorize it"));
}

// Words of both inputs are read where they are, where those of one of them follow one another along its vectors.
TEST(Apply, WordsOfBothInputsInPlace) {
  const std::string op =
      "level tiled { op (m: parallel, n: parallel, k: reduction, i: reduction) ins(%A[m, k * 4 + "
      "i], "
      "%B[k, n, i]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(cast<i32>(a), cast<i32>(b))) } }";
  auto product = [&](const std::string& a, const std::string& words) {
    return "kernel @f(%A: tensor<64 x 128 x " + a + ">, %B: tensor<32 x 48 x " + words +
           " x i8>) -> (%C: tensor<64 x 48 x i32>) " + op;
  };
  const std::string bytes = product("u8", "4"),
                    tile = "tile m by 8 vectorize (m: 8, n: 48) } otherwise { loops }",
                    left = "words A along i for vpdpbusd ", right = "words B along i for vpdpbusd ",
                    asked = "when contiguous(A, i) and contiguous(B, n * i) { ";
  const char* znver5 = "znver5";
  const std::string text =
      applied(bytes, asked + left + right + "tile k by 8 " + tile, nullptr, znver5);
  EXPECT_TRUE(has(text, "%B_line: tensor<32 x 192 x i8> = (k, n) -> %B[k, n floordiv 4, n mod 4]"))
      << text;
  EXPECT_TRUE(has(text, "%B_words: tensor<32 x 48 x i32> = (k, n) -> %B_line1[k, n * 4]")) << text;
  EXPECT_FALSE(has(text, "alloc")) << text;

  EXPECT_TRUE(has(refused(bytes, "when contiguous(A, i) { " + left + right + tile, znver5),
                  "words are neighbours in memory: when contiguous(B, i)"));
  EXPECT_TRUE(has(refused(bytes, asked + left + left + tile, znver5), "stands once for an input"));
  // What was asked is forgotten where the input lies elsewhere, or the iterators are others.
  for (const std::string change : {"copy B (i, k, n) as t { loops } ", "tile n by 1 ",
                                   "collapse i, k as i ", "collapse m, n as n "})
    EXPECT_TRUE(
        has(refused(bytes, asked + change + right + left + "loops } otherwise { loops }", znver5),
            "when contiguous(B, i)"))
        << change;
  EXPECT_TRUE(has(refused(bytes, asked + left + tile, znver5), "pack it for vpdpbusd before"));
  EXPECT_TRUE(has(refused(product("u8", "8"), asked + left + right + tile, znver5),
                  "a word is all that 'i' has"));
  EXPECT_TRUE(has(refused(product("i8", "4"), asked + left + right + tile, znver5), "summed up"));
  EXPECT_TRUE(has(refused(bytes, "when contiguous(C, n * i) { loops }", znver5),
                  "no input with whole words"));
}

// Both are contiguous along the words' own iterator: vectors may lie along it.
TEST(Apply, WordsOfBothInputsAlongOneIterator) {
  auto product = [](const std::string& a, const std::string& b) {
    return "kernel @f(%A: tensor<64 x 256 x " + a + ">, %x: tensor<256 x " + b +
           ">) -> (%y: tensor<64 x i32>) level tiled { op (m: parallel, k: reduction) ins(%A[m, "
           "k], "
           "%x[k]) outs(%y[m]) { (a, x, y) -> add(y, mul(cast<i32>(a), cast<i32>(x))) } }";
  };
  const std::string asked = "when contiguous(A, k) and contiguous(x, k) { ",
                    left = "words A along k for vpdpbusd ", right = "words x along k for vpdpbusd ",
                    sum =
                        "tile m by 4 split k by 32 as b vectorize (m: 4, k: 32) } otherwise { "
                        "loops }";
  const char* znver5 = "znver5";
  std::string text = applied(product("u8", "i8"), asked + left + right + sum, nullptr, znver5);
  EXPECT_TRUE(has(text, "%A_words: tensor<64 x 64 x i32> = (m, k) -> %A[m, k * 4]")) << text;
  EXPECT_TRUE(has(text, "%x_words: tensor<64 x i32> = (k) -> %x[k * 4]")) << text;
  EXPECT_TRUE(has(text, "vector (m: 4, k: 32)")) << text;
  EXPECT_FALSE(has(text, "alloc")) << text;

  // Of two that are signed the first is moved, and the other one summed up on the way.
  text = applied(product("i8", "i8"), asked + left + right + sum, nullptr, znver5);
  EXPECT_TRUE(has(text, "mul(128_i32, vpdpbusd(0_i32, 16843009_i32, x")) << text;
  EXPECT_TRUE(has(refused(product("i8", "i8"),
                          asked + right +
                              "pack A (m: 8) along k for vpdpbusd "
                              "loops } otherwise { loops }",
                          znver5),
                  "summed up"));

  EXPECT_TRUE(
      has(refused(product("u8", "i8"), "when contiguous(A, k) { " + left + right + sum, znver5),
          "words are neighbours in memory: when contiguous(x, k)"));
  // What is left of a word stands in another part.
  const std::string parts = asked + "cut k at 254 floordiv 4 * 4 { " + left + right +
                            "loops } rest { loops } } otherwise { loops }";
  EXPECT_TRUE(has(applied(product("u8", "i8"), parts, nullptr, znver5), "tensor<63 x i32>"));
}

// As large as the sizes ask for, before all loops; both inputs along one reduction.
TEST(Apply, PanelsOfSizesThatHaveNames) {
  const std::string sizes = "let kc = min(k, 512) let nc = min(2016, n ceildiv 48 * 48) ";
  std::string text = applied(kProduct, sizes +
                                           "tile n by nc tile k by kc pack B (n: 48) along k as p "
                                           "tile m by 8 pack A (m: 8) along k as p tile n by 48 "
                                           "tile m by 8 vectorize (m: 8, n: 48) fit n early");
  EXPECT_TRUE(has(text,
                  "bound nc = min(2016, -((-N) floordiv 48) * 48)\n"
                  "  alloc %packed_A: tensor<1 x kc x 8 x f32>\n"
                  "  alloc %packed_B: tensor<(nc floordiv 48) x kc x 48 x f32>\n"))
      << text;
  EXPECT_TRUE(has(text, "ins(%packed_A_panel[p, m], %packed_B_panel[p, n])")) << text;
  EXPECT_TRUE(has(text, "<= 16 {")) << text;  // as many vectors as are needed
  EXPECT_TRUE(has(text, "vector (m: 8, n: 32) early")) << text;

  EXPECT_TRUE(has(refused(kProduct, sizes + "let kc = 3"), "called 'kc' already"));
  EXPECT_TRUE(has(refused(kProduct, "let x = y"), "no iterator, size or attribute 'y'"));
  EXPECT_TRUE(has(refused(kProduct, "let x = min(m, k) tile m by x"), "1 position or more"));
  EXPECT_TRUE(has(refused(kProduct, "let x = min(m, 0) tile m by x"), "1 position or more"));
  const char* none = R"(
    kernel @f(%A: tensor<0 x N x f32>) -> (%B: tensor<0 x N x f32>) level tiled {
      op (m: parallel, n: parallel) ins(%A[m, n]) outs(%B[m, n]) { (a, b) -> exp(a) }
    })";
  applied(none, "let x = min(8, m ceildiv 4 * 4) tile m by x loops");  // there is no tile
  const std::string one = "tile n by 96 tile k by 9 pack B (n: 48) along k as p ";
  EXPECT_TRUE(has(refused(kProduct, one + "tile n by 48 loops"), "packed alike"));
  EXPECT_TRUE(has(refused(kProduct, one + "tile m by 8 pack A (m: 8) along k as n"), "already"));
  EXPECT_TRUE(has(refused(kProduct, "tile n by 48 tile k by 9 pack B (n: 48) computed"),
                  "computes nothing of B alone"));
  EXPECT_TRUE(has(refused(kProduct, "tile n by 48 tile k by 9 pack B (n: 48) to i32"),
                  "does not cast B to that type"));
  EXPECT_TRUE(has(refused(kProduct, "tile n by 48 tile k by 9 pack B (n: 48) in pieces of 5"),
                  "whole pieces"));
  EXPECT_TRUE(has(refused(kMap, "tile n by 8 vectorize (n: 8) early"), "before a sum"));
  EXPECT_TRUE(has(refused(kMap, "tile n by 8 vectorize (n: 8) fit n"), "whole ones"));
  const std::string vector = "tile m by 8 tile n by 48 vectorize (m: 8, n: 48) unrolled ";
  EXPECT_TRUE(has(refused(kProduct, vector + "(k)"), "when k == 3"));
  EXPECT_TRUE(has(refused(kProduct, vector + "(m)"), "no reduction"));
  EXPECT_TRUE(has(refused(kProduct, "when k == 0 { " + vector + "(k) }"), "has no positions"));
  EXPECT_TRUE(has(refused(kProduct, vector + "(j)"), "no iterator 'j'"));
  EXPECT_TRUE(has(refused(kProduct, "when k == 65 { " + vector + "(k) }"), "too much code"));
  text = applied(kProduct, "when k == 5 { " + vector + "(k) }");
  EXPECT_TRUE(has(text, "vector (m: 8, n: 48) unrolled (k)")) << text;
}

// One value of several inputs.
TEST(Apply, PanelsOfWhatSeveralInputsGive) {
  const char* product = R"(
    kernel @f(%A: tensor<M x K x f32>, %Q: tensor<K x N x i8>, %s: tensor<N x f32>, %t: tensor<M x f32>)
        -> (%C: tensor<M x N x f32>) level tiled {
      op (m: parallel, n: parallel, k: reduction)
          ins(%A[m, k], %Q[k, n], %s[n], %t[m]) outs(%C[m, n])
          { (a, q, s, t, c) -> add(c, mul(mul(a, t), mul(cast<f32>(q), s))) }
    })";
  const std::string tiles = "tile n by 96 tile k by 32 ";
  std::string text = applied(product, tiles +
                                          "pack Q with s (n: 48) computed "
                                          "tile m by 8 tile n by 48 vectorize (m: 8, n: 48)");
  EXPECT_TRUE(has(text, "alloc %packed_Q: tensor<2 x 32 x 48 x f32>")) << text;
  EXPECT_TRUE(has(text, "-> mul(cast<f32>(q_n0_k0_n02), s_n0_n02) }")) << text;
  EXPECT_TRUE(has(text, "mul(mul(a_k0_m0, t_m0), packed_q_panel)) } vector (m: 8, n: 48)")) << text;
  EXPECT_TRUE(has(text, "if unit %Q_n0_k0[1] and unit %s_n0[0] {")) << text;  // both in vectors

  EXPECT_TRUE(has(refused(product, tiles + "pack Q with s (n: 48)"), "'computed' of them"));
  EXPECT_TRUE(has(refused(product, tiles + "pack Q with u (n: 48) computed"), "no operand u"));
  EXPECT_TRUE(has(refused(product, tiles + "pack Q with C (n: 48) computed"), "no other input"));
  EXPECT_TRUE(has(refused(product, tiles + "pack Q with Q (n: 48) computed"), "no other input"));
  EXPECT_TRUE(has(refused(product, tiles + "pack Q with t (n: 48) computed"),
                  "t has an iterator that Q lacks"));
  EXPECT_TRUE(has(refused(product, tiles + "pack A with s (m: 8) computed"),
                  "s has an iterator that A lacks"));
  EXPECT_TRUE(
      has(refused(product, tiles + "pack Q with s (n: 48) computed pack s (n: 48)"), "packed"));
}

// The first rows copy what they read, the others read the copy.
TEST(Apply, PanelsAreFilledOnTheWay) {
  const char* product = R"(
    kernel @f(%A: tensor<20 x K x f32>, %B: tensor<K x N x f32>) -> (%C: tensor<20 x N x f32>) level tiled {
      op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
          { (a, b, c) -> add(c, mul(a, b)) }
    })";
  const std::string tiles = "tile k by 64 tile n by 48 ";
  const std::string rest = "} rest { tile m by 1 vectorize (n: 48) }";
  std::string text = applied(product, tiles +
                                          "cut m at 8 copying B (n: 48) along k { "
                                          "vectorize (m: 8, n: 48) " +
                                          rest);
  EXPECT_TRUE(has(text, "%B_k0_n0[k, n] copied to %packed_B_panel[k, n]")) << text;
  EXPECT_TRUE(has(text, "alloc %packed_B: tensor<1 x 64 x 48 x f32>")) << text;
  EXPECT_TRUE(has(text, "%packed_B_panel1[k, n])")) << text;
  text = applied(product, "tile m by 12 cut m at 8 { loops } rest { loops }");  // 12 and 8
  EXPECT_TRUE(has(refused(product, "tile m by 16 cut m at 8 { } rest { }"),
                  "it is not known that 'm' has so many"));

  const std::string cut = tiles + "cut m at 8 copying ";
  EXPECT_TRUE(has(refused(product, cut + "B (n: 48) { loops " + rest), "vectorize it"));
  EXPECT_TRUE(has(refused(product, cut + "B (n: 48) { tile m by 1 vectorize (n: 48) " + rest),
                  "vectorize it"));
  EXPECT_TRUE(has(refused(product, cut + "B (n: 48) { " + rest), "vectorize it"));
  EXPECT_TRUE(has(refused(product, cut + "B (n: 32) { } rest { }"), "tile n by 32 before"));
  EXPECT_TRUE(has(refused(product, cut + "C (n: 48) { } rest { }"), "C is no input"));
  EXPECT_TRUE(has(refused(product, cut + "B (n: 48) computed { } rest { }"), "stays as it is"));
  EXPECT_TRUE(has(refused(product, cut + "B (n: 48) along k as p { } rest { }"), "as it is"));
}

TEST(Apply, IteratorsBecomeOne) {
  const std::string one = "collapse y, x as m ";
  const std::string sizes =
      "when 1 <= p and 1 <= q and 1 <= c { let ck = min(c, 512) let qk = min(q, 512 floordiv ck) ";
  std::string text =
      applied(kImage, sizes + one +
                          "tile n by 32 tile p by 1 tile q by qk tile c by ck "
                          "pack F (n: 16) along q, c as k to i32 tile m by 8 tables m "
                          "pack I (m: 8) along q, c as k in pieces of 4 tile n by 16 tile m by 8 "
                          "function tile { vectorize (m: 8, n: 16) variant } }");
  EXPECT_TRUE(has(text, "offsets ")) << text;
  EXPECT_TRUE(has(text, "%packed_F: tensor<2 x (ck * qk) x 16 x i32>")) << text;
  EXPECT_TRUE(has(text, "outline tile")) << text;
  EXPECT_TRUE(has(text, "mul(cast<i32>(packed_i_panel), packed_f_panel)")) << text;

  EXPECT_TRUE(has(refused(kImage, "collapse y as m"), "several iterators"));
  EXPECT_TRUE(has(refused(kImage, "collapse y, y as m"), "stands twice"));
  EXPECT_TRUE(has(refused(kImage, "collapse p, x as m"), "are a reduction and none"));
  EXPECT_TRUE(has(refused(kImage, "collapse y, x as n"), "called 'n' already"));
  EXPECT_TRUE(has(refused(kImage, "tile y by 8 tables y"), "not several iterators"));
  EXPECT_TRUE(has(refused(kImage, one + "tables m"), "tile it before"));
}

}  // namespace
}  // namespace einc::strategy
