// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/test_text.h"
#include "compiler/strategy/plan/apply.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/strategy/plan/text.h"
#include "compiler/target/target.h"

namespace einc::strategy {
namespace {

constexpr const char* kMap = R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%B: tensor<M x N x f32>) level tiled {
      op (m: parallel, n: parallel) ins(%A[m, n]) outs(%B[m, n]) { (a, b) -> exp(a) }
    })";
constexpr const char* kSum = R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%S: tensor<M x f32>) level tiled {
      op (m: parallel, n: reduction) ins(%A[m, n]) outs(%S[m]) { (a, s) -> add(s, a) }
    })";
constexpr const char* kUnpack = R"(
    kernel @f(%P: tensor<K x L x 16 x S x f32>) -> (%A: tensor<M x N x f32>) level tiled {
      op (m: parallel, n: parallel) ins(%P[m floordiv 16, n floordiv S, m mod 16, n mod S])
          outs(%A[m, n]) { (p, a) -> exp(p) }
    })";
constexpr const char* kProduct = R"(
    kernel @f(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>) -> (%C: tensor<M x N x f32>) level tiled {
      op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
          { (a, b, c) -> add(c, mul(a, b)) }
    })";
// A window that moves along w, and sees what is outside.
constexpr const char* kWindow = R"(
    kernel @f(%A: tensor<W x C x f32>, %K: tensor<3 x C x f32>) -> (%B: tensor<V x C x f32>)
        attr s: 1xi64 = [1] level tiled {
      op (w: parallel, c: parallel, k: reduction)
          ins(%A[w * s[0] + k - 1, c] pad 0.0_f32, %K[k, c]) outs(%B[w, c]) { (a, k, b) -> add(b, mul(a, k)) }
    })";
constexpr const char* kImage = R"(
    kernel @f(%I: tensor<H x W x C x i8>, %F: tensor<P x Q x C x N x i8>) -> (%O: tensor<Y x X x N x i32>)
        level tiled {
      op (y: parallel, x: parallel, n: parallel, p: reduction, q: reduction, c: reduction)
          ins(%I[y + p, x + q, c], %F[p, q, c, n]) outs(%O[y, x, n])
          { (i, f, o) -> add(o, mul(cast<i32>(i), cast<i32>(f))) }
    })";
// Each term needs the one before it.
constexpr const char* kChain = R"(
    kernel @f(%A: tensor<M x N x f32>) -> (%S: tensor<f32>) level tiled {
      op (m: reduction, n: reduction) ins(%A[m, n]) outs(%S[]) { (a, s) -> sin(add(s, a)) }
    })";

// The steps in "{ ... }", or the first error.
Steps parsed(const std::string& text, std::string* error = nullptr) {
  SourceFile source("steps", text + "}");
  Diagnostics errors(source);
  ir::TokenStream in(source, errors);
  Steps steps = parseSteps(in);
  if (error && !errors.all().empty()) *error = errors.all()[0].message;
  if (!error) EXPECT_TRUE(errors.all().empty()) << text << "\n" << errors.all()[0].message;
  return steps;
}

std::string printed(const Steps& steps) {
  TextWriter out;
  print(steps, out);
  return out.take();
}

// The kernel with its first op done so; errors, one a line, go to `errors`.
std::string applied(const std::string& kernelText, const std::string& steps,
                    std::string* errors = nullptr, const char* target = "x86-64-v4",
                    bool keepsOrder = false) {
  ir::Kernel kernel = ir::test::goodKernel(kernelText);
  const ir::StructuredOp op = std::get<ir::StructuredOp>(kernel.body[0].node);
  transforms::Builder builder(kernel);
  ScheduleOptions options{target::find(target)};
  options.keepsOrder = keepsOrder;
  std::vector<StepError> wrong;
  kernel.body = apply(builder, {op, operandNames(kernel, op)}, parsed(steps), options, wrong);
  for (const StepError& error : wrong)
    if (errors) *errors += error.message + "\n";
  if (!errors) EXPECT_TRUE(wrong.empty()) << wrong[0].message;
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return ir::print(kernel);
}

std::string refused(const std::string& kernel, const std::string& steps,
                    const char* target = "x86-64-v4", bool keepsOrder = false) {
  std::string errors;
  applied(kernel, steps, &errors, target, keepsOrder);
  EXPECT_FALSE(errors.empty()) << steps;
  return errors;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Steps, PrintAndParseBack) {
  const std::string text = R"(tile m by 64 on threads (131072 outer)
order n, m
pack A (n: 48)
when contiguous(A, n) and contiguous(B[1], m) and M * 2 <= m + 1 {
  non_temporal B
  cut n at line of B (64) {
    loops
  } rest {
    cut n at (n floordiv 64) * 64 {
      spread n over 4 as n_place
      split n by 16 as n_run
      vectorize (n_place: 4, n: 16) ahead n 128
    } rest {
      accumulate (n: 64)
    }
  }
} otherwise {
  when borders(n) {
    interior n {
      when inside {
        vectorize (m: 4, n: 64) fit n variant
      }
    } border {
      loops
    }
  }
  when 0 < n and n == 3 and m < 5 {
    transpose m to n
  }
}
let width = min(n, 4096 floordiv (m + 1) + 1)
parts n by width as n_part {
  loops
} fill {
  tile n_part by 1
} combine {
  loops
} rest {
  loops
}
digits m by 16 as m_high, n by S + 1 as x {
  order n, x
} left of n {
  loops
}
let kc = min(k, 512 floordiv l)
let nc = (n ceildiv 48) * 48
collapse n, oh, ow as x
tables x
pack B (n: 48) along k, l as p to i32 in pieces of 16 on threads (131072)
copy B[1] (n, k) as turned on stack {
  loops
}
convert A to i32
border A
cut m at 8 copying B (n: 48) along k, l {
  loops
} rest {
  loops
}
keep (m: m * 2, n: nc)
function tile {
  results (m: 8, n: 4) {
    scratch (m: 8, n: 48) in pieces of 16 {
      vectorize (m: 8, n: 48) ahead k 32 fit n early variant
    }
  }
}
)";
  Steps steps = parsed(text);
  EXPECT_EQ(printed(steps), text);
  EXPECT_EQ(parsed(printed(steps)), steps);
}

TEST(Steps, ReasonsAreComments) {
  Steps steps = {Step(TileStep{"m", affine::Expr::constant(8)}, "it fits"), LoopsStep{}};
  EXPECT_EQ(printed(steps), "tile m by 8  // it fits\nloops\n");
  EXPECT_EQ(parsed(printed(steps)), steps);
}

TEST(Steps, WhatIsNoStepIsRefused) {
  for (const char* text : {"tile",
                           "tile m",
                           "tile m by",
                           "when { }",
                           "when m { }",
                           "when m = 3 { }",
                           "cut m at 3 { }",
                           "split m by x as y",
                           "order",
                           "vectorize (m)",
                           "accumulate (m: 1, n: 2)",
                           "unroll m",
                           "digits m by 8 { }",
                           "digits m by 8 as x { } left { }",
                           "digits m by 8 as x { } left of n { }",
                           "tile m by 8 on threads",
                           "when contiguous(A) { }",
                           "transpose m",
                           "when m == 3 { loops",
                           "when borders { }",
                           "interior m { }",
                           "vectorize (n: 8) fit",
                           "let k",
                           "let k = min(3",
                           "parts n by 8 { }",
                           "parts n by 8 as x { } fill { } combine { }",
                           "let x",
                           "let x = min(m",
                           "collapse m, n",
                           "tables",
                           "pack A (m: 8) along",
                           "pack A (m: 8) to f33",
                           "pack A (m: 8) in pieces",
                           "copy A (m, n)",
                           "copy A as x { }",
                           "convert A",
                           "keep m",
                           "function { }",
                           "results { }",
                           "scratch (m: 8) { }",
                           "border",
                           "cut m at 3 copying { } rest { }",
                           "vectorize (m: 8) fit"}) {
    std::string error;
    parsed(text, &error);
    EXPECT_FALSE(error.empty()) << text;
  }
  std::string error, deep;
  for (int i = 0; i < 400; ++i) deep += "when m == 1 { ";
  parsed(deep, &error);
  EXPECT_FALSE(error.empty());
}

TEST(Apply, EachVerb) {
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
  EXPECT_TRUE(has(refused(kProduct, "tile n by 48 pack B (n: 48) along k, n"), "'along'"));
  EXPECT_TRUE(has(refused(kProduct, "tile n by 48 tile k by 9 pack B (n: 48) to i32"),
                  "does not cast B to that type"));
  EXPECT_TRUE(has(refused(kProduct, "tile n by 48 tile k by 9 pack B (n: 48) in pieces of 5"),
                  "whole pieces"));
  EXPECT_TRUE(has(refused(kMap, "tile n by 8 vectorize (n: 8) early"), "before a sum"));
  EXPECT_TRUE(has(refused(kMap, "tile n by 8 vectorize (n: 8) fit n"), "whole ones"));
}

TEST(Apply, IteratorsBecomeOne) {
  const std::string one = "collapse y, x as m ";
  const std::string sizes =
      "let ck = min(c, 512) let qk = min(q, 512 floordiv ck) when 1 <= p and 1 <= q and 1 <= c { ";
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
  EXPECT_TRUE(has(refused(kImage, "collapse p, q as m"), "is a reduction"));
  EXPECT_TRUE(has(refused(kImage, "collapse y, n as m"), "and others not"));
  EXPECT_TRUE(has(refused(kImage, "collapse y, x as n"), "called 'n' already"));
  EXPECT_TRUE(has(refused(kImage, "tile y by 8 tables y"), "not several iterators"));
  EXPECT_TRUE(has(refused(kImage, one + "tables m"), "tile it before"));
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
  EXPECT_TRUE(has(refused(product, "tile m by 16 cut m at 8 { } rest { }"), "fewer positions"));

  const std::string cut = tiles + "cut m at 8 copying ";
  EXPECT_TRUE(has(refused(product, cut + "B (n: 48) { loops " + rest), "vectorize it"));
  EXPECT_TRUE(has(refused(product, cut + "B (n: 48) { tile m by 1 vectorize (n: 48) " + rest),
                  "vectorize it"));
  EXPECT_TRUE(has(refused(product, cut + "B (n: 48) { " + rest), "vectorize it"));
  EXPECT_TRUE(has(refused(product, cut + "B (n: 32) { } rest { }"), "tile n by 32 before"));
  EXPECT_TRUE(has(refused(product, cut + "C (n: 48) { } rest { }"), "C is no input"));
  EXPECT_TRUE(has(refused(product, cut + "B (n: 48) along k as p { } rest { }"), "as it is"));
}

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
  const char* window = R"(
    kernel @f(%A: tensor<H x f32>, %W: tensor<3 x f32>) -> (%C: tensor<H x f32>) level tiled {
      op (m: parallel, k: reduction) ins(%A[m + k - 1] pad 0.0_f32, %W[k]) outs(%C[m])
          { (a, w, c) -> add(c, mul(a, w)) }
    })";
  const std::string why = refused(window, "border A loops");
  const size_t begin = why.find("when "), end = why.find(" { ... }");
  ASSERT_TRUE(begin < end && end < why.size()) << why;
  std::string text = applied(window, why.substr(begin, end - begin) + " { border A loops }");
  EXPECT_TRUE(has(text, "ins(%padded_A_at[m, k], %W[k])")) << text;

  EXPECT_TRUE(has(refused(window, "border W"), "not read outside"));
  EXPECT_TRUE(has(refused(window, "border C"), "before steps that change C"));
  EXPECT_TRUE(has(refused(window, "tile m by 8 border A"), "before steps that change A"));
}

TEST(Apply, Digits) {
  std::string text = applied(kUnpack,
                             "digits m by 16 as high, n by S as x { tile x by 1 tile high by 1 "
                             "tile n by 8 vectorize (m: 16, n: 8) } "
                             "left of m { tile n by 1 vectorize (m: 15) } "
                             "left of n { tile high by 1 order n, m loops }");
  EXPECT_TRUE(has(text, "if 0 < S {")) << text;  // S may be 0 where there are no elements
  EXPECT_TRUE(has(text, "(high, m, x, n) -> %P[high, x, m, n]")) << text;
  EXPECT_TRUE(has(text, "vector (m: 16, n: 8)")) << text;
  EXPECT_TRUE(has(text, "vector (m: 15)")) << text;
  EXPECT_TRUE(has(text, "op (n: parallel, m: parallel)")) << text;

  text = applied(kMap, "tile n by 8 digits m by 4 as m_high { loops } left of m { loops }");
  EXPECT_TRUE(has(text, "m_high * 4 + m")) << text;
}

TEST(Apply, NothingIsOutsideInTheInterior) {
  std::string text =
      applied(kWindow,
              "when borders(w) { interior w { tile w by 4 when w == 4 { when inside { "
              "tile c by 16 vectorize (w: 4, c: 16) } } otherwise { loops } } "
              "border { tile c by 16 vectorize (c: 16) } } otherwise { loops }");
  EXPECT_TRUE(has(text, "if 1 <= s[0] and (-268435456) <= W")) << text;
  EXPECT_TRUE(has(text, "bound w_low = min(V, -w_before)")) << text;
  EXPECT_TRUE(has(text, "0 .. (-w_without) by 4")) << text;
  EXPECT_FALSE(has(text, "0 <= ")) << "nothing is left to be tested\n" << text;
  EXPECT_TRUE(has(text, "view %B_after")) << text;

  // What may be outside elsewhere is tested once for a tile.
  text = applied(kWindow,
                 "tile w by 8 when borders(w) { tile c by 16 when inside { vectorize (c: 16) } "
                 "otherwise { loops } } otherwise { loops }");
  EXPECT_TRUE(has(text, "if 0 <= (w0 * s[0] - 1) and (w0 * s[0] + ")) << text;
}

TEST(Apply, SaysWhyThereIsNoInterior) {
  EXPECT_TRUE(
      has(refused(kMap, "when borders(n) { } otherwise { }"), "read outside a tensor along"));
  EXPECT_TRUE(
      has(refused(kMap, "when inside { } otherwise { }"), "nothing is known to be read outside"));
  EXPECT_TRUE(has(refused(kWindow, "when inside { } otherwise { }"), "may run backwards"));
  EXPECT_TRUE(has(refused(kWindow, "interior w { } border { }"), "when borders(w) { ... }"));
  EXPECT_TRUE(
      has(refused(kWindow, "when borders(w) { tile w by 4 interior w { } border { } }"), "whole"));
  EXPECT_TRUE(
      has(refused(kWindow, "when borders(w) { interior w { } border { } loops }"), "two parts"));
  EXPECT_TRUE(has(refused(kWindow, "when borders(w) { when inside { interior w { } border { } } }"),
                  "when borders(w) { ... }"));
}

TEST(Apply, APartOfAReductionWaitsForNone) {
  std::string text =
      applied(kSum,
              "let width = min(8192, 4096 floordiv (m + 1) + 1) when m <= 16 and width * 2 <= n { "
              "parts n by width as share { tile share by 1 tile m by 1 tile n by 8 "
              "vectorize (n: 8) } fill { when contiguous(S_parts, m) { tile m by 16 "
              "vectorize (m: 16) } otherwise { loops } } combine { order share, m tile m by 16 "
              "vectorize (m: 16) } rest { loops } } otherwise { loops }");
  EXPECT_TRUE(has(text, "bound width = min(8192, 4096 floordiv (M + 1) + 1)")) << text;
  EXPECT_TRUE(has(text, "if M <= 16 and (width * 2) <= N {")) << text;
  EXPECT_TRUE(has(text, "alloc %S_parts: tensor<(N floordiv width) x M x f32>")) << text;
  EXPECT_TRUE(has(text, "tile share0 : share0_size = 0 .. (N floordiv width) by 1 parallel {"))
      << text;
  EXPECT_TRUE(has(text, "op (share: reduction, m: parallel)")) << text;
  EXPECT_TRUE(has(text, "if unit %S_parts[1] {")) << text;
  EXPECT_TRUE(has(text, "0 .. N by 8 reduction") || has(text, "0 .. width by 8 reduction")) << text;
}

TEST(Apply, SaysWhyThereAreNoParts) {
  const std::string lists = " as x { } fill { } combine { } rest { }";
  EXPECT_TRUE(has(refused(kSum, "parts m by 8" + lists), "is no reduction"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 0" + lists), "1 position or more"));
  EXPECT_TRUE(has(refused(kSum, "parts n by M" + lists), "1 position or more"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 8 as m { } fill { } combine { } rest { }"), "already"));
  EXPECT_TRUE(has(refused(kSum, "tile m by 8 parts n by 8" + lists), "before all tiles"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 8" + lists + " loops"), "in its lists"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 8" + lists, "x86-64-v4", true), "--fp=strict"));
  EXPECT_TRUE(has(refused(kChain, "parts m by 8" + lists), "in another order"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 8 as x { } fill { tile n by 8 } combine { } rest { }"),
                  "no iterator 'n' here; there are x, m"));
  EXPECT_TRUE(has(refused(kSum, "parts n by 8 as x { } fill { } combine { } rest { tile x by 8 }"),
                  "no iterator 'x' here"));
  EXPECT_TRUE(has(refused(kMap, "let m = 8"), "something called 'm' already"));
  EXPECT_TRUE(has(refused(kMap, "let k = 8 + X"), "'X' here"));
  EXPECT_TRUE(has(applied(kMap, "let k = 8 tile m by k loops"), "0 .. M by k parallel"));
}

TEST(Apply, AsManyVectorsAsThereArePositionsFor) {
  std::string text = applied(kMap, "tile m by 1 tile n by 48 vectorize (n: 48) fit n variant");
  EXPECT_TRUE(has(text, "if n0_size <= 16 {")) << text;
  EXPECT_TRUE(has(text, "vector (n: 16) variant")) << text;
  EXPECT_TRUE(has(text, "vector (n: 48) variant")) << text;
  EXPECT_TRUE(has(refused(kMap, "tile n by 24 vectorize (n: 24) fit n"), "whole ones, of 16"));
  EXPECT_TRUE(has(refused(kMap, "tile n by 16 vectorize (n: 16) fit m"), "whole ones, of 16"));
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
  size_t asked = 0;
  auto complete = [&](const Place& place) {
    ++asked;
    return transforms::only({place.op});
  };
  ScheduleOptions options{target::find("x86-64-v4")};
  apply(builder, {op, operandNames(kernel, op)},
        parsed("when 0 < m and 0 < n { when m == 3 { loops } }"), options, wrong, complete);
  EXPECT_EQ(asked, 1u);  // where m is not 3; where there is nothing, nothing is done
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
  EXPECT_TRUE(has(refused(kMap, "cut m at 8 { } rest { }"), "fewer positions"));
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
  EXPECT_TRUE(has(refused(kMap, "non_temporal B tile m by 1 cut n at line of B (64) { } rest { }"),
                  "when contiguous(B, n)"));
  EXPECT_TRUE(has(refused(kMap, "when contiguous(B, n) { cut n at line of B (64) { } rest { } }"),
                  "tile the iterators but 'n' by 1"));
}

TEST(Space, KnowsExtents) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<96 x N x f32>) -> (%B: tensor<96 x f32>) level tiled {
      op (m: parallel, n: reduction) ins(%A[m, n]) outs(%B[m]) { (a, b) -> add(a, b) }
    })");
  Space space(kernel, std::get<ir::StructuredOp>(kernel.body[0].node));
  EXPECT_EQ(space.known("m"), 96);
  EXPECT_EQ(space.known("n"), std::nullopt);
  space.tile("m", 32);
  EXPECT_EQ(space.known("m"), 32);
  space.tile("m", 5);
  EXPECT_EQ(space.known("m"), std::nullopt);
  space.tile("n", 1);
  EXPECT_TRUE(space.reductions().empty());
}

}  // namespace
}  // namespace einc::strategy
