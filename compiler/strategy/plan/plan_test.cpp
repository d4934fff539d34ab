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
// A window that moves along w, and sees what is outside.
constexpr const char* kWindow = R"(
    kernel @f(%A: tensor<W x C x f32>, %K: tensor<3 x C x f32>) -> (%B: tensor<V x C x f32>)
        attr s: 1xi64 = [1] level tiled {
      op (w: parallel, c: parallel, k: reduction)
          ins(%A[w * s[0] + k - 1, c] pad 0.0_f32, %K[k, c]) outs(%B[w, c]) { (a, k, b) -> add(b, mul(a, k)) }
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
                           "parts n by 8 as x { } fill { } combine { }"}) {
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
  const char* product = R"(
    kernel @f(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>) -> (%C: tensor<M x N x f32>) level tiled {
      op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
          { (a, b, c) -> add(c, mul(a, b)) }
    })";
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
  EXPECT_TRUE(has(refused(product, "tile n by 1000000 tile k by 1000000 pack B (n: 48)"), "1 GiB"));
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
      has(refused(kMap, "tile m by 99 tile n by 99 vectorize (m: 99, n: 99)"), "registers"));
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
