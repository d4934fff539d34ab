// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/repeat.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::count;
using test::has;
using test::lines;

// A region on m x n positions; %A and %C are as large, %B and %E the other way round.
std::string kernelOf(int64_t m, int64_t n, const std::string& body,
                     const std::string& type = "f32") {
  const std::string rows = std::to_string(m), columns = std::to_string(n),
                    turned = columns + " x " + rows + " x " + type;
  return "kernel @f(%A: tensor<" + rows + " x " + columns + " x " + type + ">, %B: tensor<" +
         turned + ">) -> (%C: tensor<" + rows + " x " + columns + " x " + type + ">, %E: tensor<" +
         turned + ">, %S: tensor<" + rows + " x " + type +
         ">) level vector { if unit %A[1] and unit %B[1] and unit %C[1] and unit %E[1] { vector "
         "(m: " +
         rows + ", n: " + columns + ") " + body + " } }";
}
// The region as one that repeats; "" if it is none.
std::string repeated(const std::string& text, const VectorShape& shape, std::string part = "") {
  // The outputs that the body leaves are not of interest here.
  ir::Kernel kernel = ir::test::parsedKernel(text);
  auto& test = std::get<ir::If>(kernel.body[0].node);
  Builder builder(kernel);
  auto result =
      repeat(builder, std::get<ir::Vector>(test.then[0].node), shape, facts::Views(kernel), part);
  if (!result) return "";
  test.then[0] = {*result};
  kernel.level = ir::Level::Hardware;
  for (const ir::Violation& violation : ir::verify(kernel))
    if (violation.rule != ir::Rule::OutputWritten) ADD_FAILURE() << violation.str();
  return ir::print(kernel);
}
constexpr VectorShape kFour = {16, 0, true};

const char* const kRows = "{ let a: f32 over (m, n) = %A[m, n] unit n %C[m, n] unit n = neg(a) }";
const char* const kTurn = "{ let a: f32 over (m, n) = %A[m, n] unit n %E[n, m] unit m = a }";

TEST(Repeat, EachStatementOnce) {
  const std::string text = repeated(kernelOf(4, 8,
                                             "{ let c: f32 over (m, n) = %C[m, n] unit n "
                                             "for k = 0 .. 3 reduction { prefetch %B[k + 1, m] "
                                             "let a: f32 over (m) = %B[k, m] unit m "
                                             "let b: f32 over (n) = %A[k, n] unit n "
                                             "c = add(c, mul(a, b)) } "
                                             "%C[m, n] unit n = c }"),
                                    kFour);
  EXPECT_EQ(lines(text, "vector (", "= c"),
            "vector (n: 4) times (m: 4, v: 2) {\n"
            "let c: f32 over (m, v, n) = %C[m, v * 4 + n] unit n\n"
            "for k = 0 .. 3 reduction {\n"
            "prefetch %B[k + 1, m]\n"
            "let a: f32 over (m) = %B[k, m]\n"
            "let b: f32 over (v, n) = %A[k, v * 4 + n] unit n\n"
            "c = add(c, mul(a, b))\n"
            "}\n"
            "%C[m, v * 4 + n] unit n = c")
      << text;
}

TEST(Repeat, WhatIsOfOneSizeIsNotCounted) {
  const std::string one = repeated(kernelOf(4, 4, kRows), kFour);
  EXPECT_TRUE(has(one, "vector (n: 4) times (m: 4) {")) << one;
  EXPECT_TRUE(has(one, "%C[m, n] unit n = neg(a)")) << one;
  const std::string row = repeated(kernelOf(1, 16, kRows), kFour);
  EXPECT_TRUE(has(row, "vector (n: 4) times (v: 4) {")) << row;
  EXPECT_TRUE(has(row, "%C[0, v * 4 + n] unit n = neg(a)")) << row;
  // But where there are variants, which differ in that size.
  const std::string variant = repeated(kernelOf(1, 4, std::string("variant ") + kRows), kFour);
  EXPECT_TRUE(has(variant, "vector (n: 4) times (m: 1, v: 1) variant {")) << variant;
  EXPECT_TRUE(has(variant, "%C[m, v * 4 + n] unit n = neg(a)")) << variant;
}

TEST(Repeat, PartsOfAllRegionsAreCountedAlike) {
  std::string part = "w";
  EXPECT_TRUE(has(repeated(kernelOf(2, 8, kRows), kFour, part), "times (m: 2, w: 2)"));
}

TEST(Repeat, PositionsInValues) {
  const std::string text = repeated(
      kernelOf(4, 8, "{ %C[m, n] unit n = add(%A[m, n] unit n, cast<f32>(index(n + m * 8))) }"),
      kFour);
  EXPECT_TRUE(has(text, "vector (n: 2) times (m: 4, v: 4) {")) << text;  // positions are i64
  EXPECT_TRUE(has(text, "index(v * 2 + n + m * 8)")) << text;
}

TEST(Repeat, SquaresAreTransposed) {
  const std::string text = repeated(kernelOf(4, 4, kTurn), kFour);
  EXPECT_EQ(lines(text, "vector (", "unit n = "),
            "vector (n: 4) times (m: 4) {\n"
            "let a: f32 over (m, n) = %A[m, n] unit n\n"
            "let rows: f32 over (m, n) = a\n"
            "transpose rows along m\n"
            "%E[m, n] unit n = rows")
      << text;
}

// m is w * 4 + m of 8, n is v * 4 + n of 12; the result is the other way round.
TEST(Repeat, SeveralSquares) {
  const std::string text = repeated(kernelOf(8, 12, kTurn), kFour);
  EXPECT_TRUE(has(text, "vector (n: 4) times (w: 2, v: 3, m: 4) {")) << text;
  EXPECT_TRUE(has(text, "let a: f32 over (w, v, m, n) = %A[w * 4 + m, v * 4 + n] unit n")) << text;
  EXPECT_TRUE(has(text, "transpose rows along m %E[v * 4 + m, w * 4 + n] unit n = rows")) << text;
  // Sides are what divides both axes.
  EXPECT_TRUE(
      has(repeated(kernelOf(6, 8, kTurn), kFour), "vector (n: 2) times (w: 3, v: 4, m: 2) {"));
}

// 16 of the 64 elements of a line at once.
TEST(Repeat, LoadsTurnSmallElements) {
  constexpr VectorShape kWide = {64, 0, true, 8};
  const std::string turn = "{ let a: u8 over (m, n) = %A[m, n] unit n %E[n, m] unit m = a }";
  const std::string text = repeated(kernelOf(64, 64, turn, "u8"), kWide);
  EXPECT_EQ(lines(text, "vector (", "unit m = "),
            "vector (m: 64) times (w: 4, n: 16) {\n"
            "let a: u8 over (w, n, m) = %A[m, w * 16 + n] unit n\n"
            "%E[w * 16 + n, m] unit m = a")
      << text;
  EXPECT_TRUE(has(repeated(kernelOf(32, 16, turn, "u8"), kWide), "vector (m: 32) times (n: 16) {"));
  // Not of larger ones, nor of several operands.
  EXPECT_TRUE(has(repeated(kernelOf(16, 16, kTurn), kWide), "transpose rows along m"));
  const std::string both =
      "{ let a: u8 over (m, n) = %A[m, n] unit n "
      "let c: u8 over (m, n) = %C[m, n] unit n %E[n, m] unit m = add(a, c) }";
  EXPECT_TRUE(has(repeated(kernelOf(64, 64, both, "u8"), kWide), "transpose rows along m"));
}

TEST(Repeat, LoadsAreTransposed) {
  const std::string text = repeated(kernelOf(4, 8,
                                             "{ let a: f32 over (m, n) = %A[m, n] unit n "
                                             "let b: f32 over (m, n) = %B[n, m] unit m "
                                             "%C[m, n] unit n = add(a, b) }"),
                                    kFour);
  EXPECT_TRUE(has(text, "let b: f32 over (v, m, n) = %B[v * 4 + m, n] unit n transpose b along m"))
      << text;
  EXPECT_TRUE(has(text, "%C[m, v * 4 + n] unit n = add(a, b)")) << text;
}

TEST(Repeat, MasksStay) {
  const std::string text =
      repeated(kernelOf(4, 8,
                        "{ let a: f32 over (m, n) = %A[m + 1, n + 1] pad 1.0_f32 unit n "
                        "%C[m + 1, n + 1] unit n clip = a }"),
               kFour);
  EXPECT_TRUE(has(text, "= %A[m + 1, v * 4 + n + 1] pad 1.0_f32 unit n")) << text;
  EXPECT_TRUE(has(text, "%C[m + 1, v * 4 + n + 1] unit n clip = a")) << text;
}

// ---- What is written out instead ----

TEST(Repeat, NotWhereTheShapeSaysNothingOfIt) {
  EXPECT_EQ(repeated(kernelOf(4, 8, kRows), {16, 0, false}), "");
}

TEST(Repeat, NotFewRegisters) {
  EXPECT_EQ(repeated(kernelOf(3, 4, kRows), kFour), "");
  EXPECT_EQ(repeated(kernelOf(1, 12, kRows), kFour), "");
  EXPECT_NE(repeated(kernelOf(2, 8, kRows), kFour), "");
  EXPECT_NE(repeated(kernelOf(1, 16, kRows), kFour), "");
}

TEST(Repeat, NotRegistersOfSeveralWidths) {
  EXPECT_EQ(repeated(kernelOf(4, 6, kRows), kFour), "");
  EXPECT_EQ(repeated(kernelOf(4, 5, kRows), kFour), "");
  EXPECT_EQ(repeated(kernelOf(8, 1, kRows), kFour), "");  // scalars
}

// Floats have checks of each by name; integers have none.
TEST(Repeat, NotLimitsOfFloats) {
  auto of = [](const std::string& type) {
    return repeated(kernelOf(4, 8,
                             "{ let a: " + type +
                                 " over (m, n) = %A[m, n] unit n "
                                 "%C[m, n] unit n = max(a, a) }",
                             type),
                    kFour);
  };
  EXPECT_EQ(of("f32"), "");
  EXPECT_NE(of("i32"), "");
}

TEST(Repeat, NotMasksInVariables) {
  EXPECT_EQ(repeated(kernelOf(4, 8,
                              "{ let a: f32 over (m, n) = %A[m, n] unit n "
                              "let b: bool over (m, n) = gt(a, 0.0_f32) "
                              "%C[m, n] unit n = select(b, a, 0.0_f32) }"),
                     kFour),
            "");
}

TEST(Repeat, NotSumsAcrossLanes) {
  EXPECT_EQ(repeated(kernelOf(4, 8,
                              "{ let a: f32 over (m, n) = %A[m, n] unit n "
                              "%S[m] = reduce add over n (a) }"),
                     kFour),
            "");
}

// Each statement is for all registers before the next.
TEST(Repeat, NotWhatWaitsForOtherPositions) {
  const std::string row = "{ let a: f32 over (m, n) = %A[m, n] unit n ";
  EXPECT_EQ(repeated(kernelOf(4, 8,
                              row + "%C[m, n] unit n = a "
                                    "let c: f32 over (m, n) = %C[3 - m, n] unit n "
                                    "%E[n, m] = c }"),
                     kFour),
            "");
  // What is read alone, and the same element at each position.
  EXPECT_NE(repeated(kernelOf(4, 8,
                              row + "let b: f32 over (m, n) = %A[3 - m, n] unit n "
                                    "%C[m, n] unit n = add(a, b) }"),
                     kFour),
            "");
  EXPECT_NE(repeated(kernelOf(4, 8, row + "%C[m, n] unit n = add(a, %C[m, n] unit n) }"), kFour),
            "");
}

TEST(Repeat, NotTransposesAlongTwoAxes) {
  const std::string text =
      "kernel @f(%A: tensor<4 x 4 x 4 x f32>) -> (%C: tensor<4 x 4 x 4 x f32>, %D: tensor<4 x 4 x "
      "4 "
      "x f32>) level vector { if unit %A[2] and unit %C[2] and unit %D[2] { "
      "vector (l: 4, m: 4, n: 4) { let a: f32 over (l, m, n) = %A[l, m, n] unit n ";
  EXPECT_EQ(repeated(text + "%C[l, n, m] unit m = a %D[m, n, l] unit l = a } } }", kFour), "");
  EXPECT_NE(repeated(text + "%C[l, n, m] unit m = a %D[l, n, m] unit m = a } } }", kFour), "");
}

}  // namespace
}  // namespace einc::transforms
