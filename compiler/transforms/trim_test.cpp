// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/trim.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::has;

// An op with one input and one output, trimmed; it computes what it did.
std::string trimmed(const std::string& iterators, const std::string& output,
                    const std::string& payload, const std::string& behind = "") {
  const std::string text = "kernel @f(%A: tensor<M x N x f32>) -> (%C: tensor<" + output +
                           " x f32>) level @ { op (" + iterators + ") ins(%A[m, n]) outs(%C[" +
                           (output == "M" ? "m" : "m, n") + "]) { (a, c) -> " + payload + " } " +
                           behind + " }";
  const std::string whole = behind.empty() ? text : text.substr(0, text.find(behind)) + "}";
  const ir::Kernel kernel = trim(ir::test::goodKernel(test::at("tiled", text)));
  test::expectComputes(test::at("tensors", whole), kernel, {4, 9, 17});
  return ir::print(kernel);
}

constexpr const char* kRows = "m: parallel, n: reduction";
constexpr const char* kAll = "m: parallel, n: parallel";

TEST(Trim, WhatIsNoAxisIsCut) {
  const std::string text = trimmed(
      kRows, "M", "add(c, select(lt(index(n), index(m + 1)), a, -0.0_f32))", "vector (m: 1)");
  EXPECT_TRUE(has(text, "bound end = min(N, M)")) << text;
  EXPECT_TRUE(has(text, "bound end1 = min(N, 1)")) << text;
  EXPECT_TRUE(has(text, "add(c, a_in_n)")) << text;
}

TEST(Trim, BothEndsOfABand) {
  const std::string text = trimmed(
      kAll, "M x N",
      "select(and(lt(index(n), index(m + 3)), lt(index(m), index(n + 2))), mul(a, 2.0_f32), c)");
  EXPECT_EQ(ir::test::count(text, "select("), 2u) << text;  // in front and behind
  EXPECT_EQ(ir::test::count(text, "op ("), 3u) << text;
}

TEST(Trim, TilesOfAxesAreAllOrNothing) {
  const std::string text =
      trimmed(kAll, "M x N", "select(lt(index(n), index(m)), a, c)", "vector (m: 32, n: 32)");
  EXPECT_TRUE(has(text, "if 0 <= (M - 2) {")) << text;
  EXPECT_TRUE(has(text, "if 0 <= (-N) {")) << text;
}

TEST(Trim, ConditionsOfOneNumberNeedNoTest) {
  const std::string text = trimmed(kAll, "M x N", "select(lt(index(M), index(N)), a, c)");
  EXPECT_TRUE(has(text, "if 0 <= (N - M - 1) { op")) << text;
  EXPECT_FALSE(has(text, "select(")) << text;
}

// An op of rows that end where elements of %l say, trimmed; it computes what it did.
std::string ragged(const std::string& type, const std::string& payload,
                   const std::string& behind = "", const std::string& index = "m") {
  auto kernel = [&](const std::string& end) {
    return "kernel @f(%A: tensor<M x N x f32>, %l: tensor<M x " + type +
           ">) -> (%C: tensor<M x f32>) level @ { op (m: parallel, n: reduction) ins(%A[m, n], "
           "%l[" +
           index + "]) outs(%C[m]) { (a, l, c) -> " + payload + " } " + end + " }";
  };
  const ir::Kernel result = trim(ir::test::goodKernel(test::at("tiled", kernel(behind))));
  test::expectComputes(test::at("tensors", kernel("")), result, {4, 9, 17});
  return ir::print(result);
}

TEST(Trim, RowsEndWhereElementsSay) {
  const std::string text = ragged("i32", "add(c, select(lt(index(n), cast<i64>(l)), a, -0.0_f32))");
  EXPECT_TRUE(has(text, "tile m0 : m0_size = 0 .. M by 1 parallel {")) << text;
  EXPECT_TRUE(has(text, "read l_m0_read = %l_m0[] bound end = min(N, l_m0_read) if 0 < end {"))
      << text;
  EXPECT_EQ(ir::test::count(text, "op ("), 1u) << text;
  EXPECT_FALSE(has(text, "select(")) << text;
}

// Nothing checks at a call that elements exist which no iteration asks for.
TEST(Trim, ElementsThatNobodyAsksForAreNotRead) {
  const std::string text =
      "kernel @f(%A: tensor<M x N x f32>, %l: tensor<L x i32>) -> (%C: tensor<M x f32>) level @ { ";
  const std::string payload =
      " outs(%C[m]) { (a, l, c) -> add(c, select(lt(index(n), cast<i64>(l)), a, -0.0_f32)) } }";
  const std::string op = "op (m: parallel, n: reduction) ins(%A[m, n], ";
  const ir::Kernel kernel = trim(ir::test::goodKernel(
      test::at("tiled", text) + "view %after: tensor<M x i32> = (m) -> %l[m + 1] " + op +
      "%after[m])" + payload));
  test::expectComputes(test::at("tensors", text) + op + "%l[m + 1])" + payload, kernel, {4});
  EXPECT_TRUE(has(ir::print(kernel), "if 0 < N { read after_m0_read = %after_m0[]"))
      << ir::print(kernel);
}

TEST(Trim, VectorsInsideRowsNeedNoTest) {
  const std::string text =
      ragged("i64", "add(c, select(lt(index(n), l), a, -0.0_f32))", "vector (n: 32)");
  EXPECT_TRUE(has(text, "if 0 <= (l_m0_read - 1) { if 0 <= (l_m0_read - N) {")) << text;
}

TEST(Trim, ElementsOfLanesAreTested) {
  const std::string text =
      ragged("i32", "add(c, select(lt(index(n), cast<i64>(l)), a, -0.0_f32))", "vector (m: 32)");
  EXPECT_FALSE(has(text, "read ")) << text;
  EXPECT_FALSE(has(text, "bound ")) << text;
}

TEST(Trim, ElementsOfAllTypesAndForms) {
  auto with = [](std::string text, char mark, const std::string& what) {
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
      text.replace(at, 1, what);
    return text;
  };
  const std::pair<const char*, const char*> elements[] = {
      {"i8", "cast<i64>(l)"},
      {"u8", "cast<i64>(l)"},
      {"i16", "cast<i64>(l)"},
      {"u32", "cast<i64>(l)"},
      {"i64", "l"},
      {"u64", "cast<i64>(min(l, 9223372036854775807_u64))"}};
  for (const auto& [type, element] : elements)
    for (const char* position : {"n", "n * 2 + 1", "n - 3", "n - m", "M - n", "m", "5"})
      for (const char* condition : {"lt(@, #)", "le(@, #)", "lt(#, @)", "le(#, @)", "gt(#, @)",
                                    "and(le(@, #), lt(index(n), index(m + 2)))"}) {
        const std::string asked =
            with(with(condition, '#', element), '@', "index(" + std::string(position) + ")");
        EXPECT_TRUE(has(ragged(type, "add(c, select(" + asked + ", a, -0.0_f32))"), "read "))
            << type << " " << asked;
      }
}

// A product of two names may be more than 64 bits hold; one of u64 that is cut elsewhere is another.
TEST(Trim, SomeElementsStay) {
  for (const char* condition :
       {"lt(index(n * M), cast<i64>(l))", "lt(index(n), cast<i64>(add(l, l)))"})
    EXPECT_FALSE(
        has(ragged("u32", "add(c, select(" + std::string(condition) + ", a, -0.0_f32))"), "read "))
        << condition;
  EXPECT_FALSE(
      has(ragged("u64", "add(c, select(lt(index(n), cast<i64>(min(l, 7_u64))), a, -0.0_f32))"),
          "read "));
  EXPECT_FALSE(has(
      ragged("i32", "add(c, select(lt(index(m), cast<i64>(l)), a, -0.0_f32))", "", "n"), "read "));
}

// As accumulate makes them.
TEST(Trim, TestsOfLanesBehindTheEndStay) {
  const std::string text =
      trimmed(kAll, "M x N", "select(lt(index(n), index(N)), a, c)", "vector (m: 32, n: 32)");
  EXPECT_EQ(ir::test::count(text, "select("), 1u) << text;
  EXPECT_FALSE(has(text, "if ")) << text;
}

TEST(Trim, WhatIsNotLinearStays) {
  const std::string text =
      trimmed(kRows, "M", "add(c, select(lt(index(n floordiv 2), index(m mod 3)), a, -0.0_f32))");
  EXPECT_FALSE(has(text, "bound")) << text;
}

TEST(Trim, OfManyForms) {
  for (const char* left : {"n", "n * 2", "m + n", "m - n * 3", "m * 2 + 5", "3"})
    for (const char* right : {"m", "m + 2", "n - 3", "M - n", "N"})
      for (const char* payload : {"add(c, select(@, a, -0.0_f32))",
                                  "max(c, select(@, a, -inf_f32))", "select(@, add(a, c), c)"}) {
        std::string text = payload;
        text.replace(text.find('@'), 1,
                     std::string("lt(index(") + left + "), index(" + right + "))");
        trimmed(kRows, "M", text);
      }
}

}  // namespace
}  // namespace einc::transforms
