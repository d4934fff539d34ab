// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/unroll.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::count;
using test::has;
using test::lines;

std::string unrolled(const std::string& text, const VectorShape& shape) {
  const ir::Kernel kernel = unroll(ir::test::goodKernel(text), shape);
  test::expectGood(kernel);
  return ir::print(kernel);
}
// The same; it computes what `spec` says, and so does the text.
std::string unrolledAs(const std::string& spec, const std::string& text, const VectorShape& shape,
                       const std::set<int64_t>& sizes = {}) {
  const ir::Kernel before = ir::test::goodKernel(text);
  test::expectComputes(spec, before, sizes);
  const ir::Kernel kernel = unroll(before, shape);
  test::expectComputes(spec, kernel, sizes);
  return ir::print(kernel);
}

// Rows of n elements, as they are; `whole` is what an op says.
std::string copySpec(const std::string& n, const std::string& type = "f32",
                     const std::string& value = "neg(a)") {
  return "kernel @f(%A: tensor<" + n + " x " + type + ">) -> (%C: tensor<" + n + " x " + type +
         ">) level tensors { op (n: parallel) ins(%A[n]) outs(%C[n]) { (a, c) -> " + value + " } }";
}
std::string copied(int64_t n, const VectorShape& shape, const std::string& type = "f32") {
  const std::string size = std::to_string(n);
  return unrolledAs(copySpec(size, type),
                    "kernel @f(%A: tensor<" + size + " x " + type + ">) -> (%C: tensor<" + size +
                        " x " + type +
                        ">) level vector { if unit %A[0] and unit %C[0] { vector (n: " + size +
                        ") { let a: " + type +
                        " over (n) = %A[n] unit n %C[n] unit n = neg(a) } } "
                        "else { for n = 0 .. " +
                        size + " parallel { %C[n] = neg(%A[n]) } } }",
                    shape);
}
// The way where neighbours are known to be such.
std::string then(const std::string& text) { return text.substr(0, text.find("} else {")); }

// ---- Registers ----

// The C of 2 rows is in 4 registers. Each is loaded, added to K times, and stored, once.
const char* const kProductSpec = R"(
    kernel @f(%A: tensor<K x 2 x f32>, %B: tensor<K x 8 x f32>) -> (%C: tensor<2 x 8 x f32>)
        level tensors {
      op (m: parallel, n: parallel, k: reduction) ins(%A[k, m], %B[k, n]) outs(%C[m, n])
          { (a, b, c) -> add(c, mul(a, b)) }
    })";
std::string product(const std::string& otherwise) {
  return R"(
    kernel @f(%A: tensor<K x 2 x f32>, %B: tensor<K x 8 x f32>) -> (%C: tensor<2 x 8 x f32>)
        level vector {
      if unit %A[1] and unit %B[1] and unit %C[1] {
        vector (m: 2, n: 8) {
          let c: f32 over (m, n) = %C[m, n] unit n
          for k = 0 .. K reduction {
            let a: f32 over (m) = %A[k, m] unit m
            let b: f32 over (n) = %B[k, n] unit n
            c = fma(a, b, c)
          }
          %C[m, n] unit n = c
        }
      } else { )" +
         otherwise + " } }";
}
const char* const kLoops =
    "for m = 0 .. 2 parallel { for n = 0 .. 8 parallel { let d: f32 = %C[m, n] "
    "for k = 0 .. K reduction { d = add(d, mul(%A[k, m], %B[k, n])) } %C[m, n] = d } }";

TEST(Unroll, AProduct) {
  const std::string text = unrolledAs(kProductSpec, product(kLoops), {16});
  EXPECT_EQ(lines(then(text), "vector (", "= c_1_1"),
            "vector (n: 4) {\n"
            "let c_0_0: f32 over (n) = %C[0, n] unit n\n"
            "let c_0_1: f32 over (n) = %C[0, n + 4] unit n\n"
            "let c_1_0: f32 over (n) = %C[1, n] unit n\n"
            "let c_1_1: f32 over (n) = %C[1, n + 4] unit n\n"
            "for k = 0 .. K reduction {\n"
            "let b_0: f32 over (n) = %B[k, n] unit n\n"
            "let b_1: f32 over (n) = %B[k, n + 4] unit n\n"
            "let a_0: f32 = %A[k, 0]\n"
            "c_0_0 = fma(a_0, b_0, c_0_0)\n"
            "c_0_1 = fma(a_0, b_1, c_0_1)\n"
            "let a_1: f32 = %A[k, 1]\n"
            "c_1_0 = fma(a_1, b_0, c_1_0)\n"
            "c_1_1 = fma(a_1, b_1, c_1_1)\n"
            "}\n"
            "%C[0, n] unit n = c_0_0\n"
            "%C[0, n + 4] unit n = c_0_1\n"
            "%C[1, n] unit n = c_1_0\n"
            "%C[1, n + 4] unit n = c_1_1")
      << text;
}

TEST(Unroll, LanesThatRepeatWhereTheyMay) {
  const std::string text = unrolledAs(kProductSpec, product(kLoops), {16, 0, true});
  EXPECT_TRUE(has(text, "vector (n: 4) times (m: 2, v: 2) {")) << text;
  EXPECT_EQ(count(text, "fma("), 1U) << text;
}

TEST(Unroll, VectorsThenSmallerPowersOfTwo) {
  EXPECT_TRUE(has(copied(4, {16}),
                  "vector (n: 4) { let a1: f32 over (n) = %A[n] unit n "
                  "%C[n] unit n = neg(a1) }"));
  const std::string more = copied(5, {16});
  EXPECT_EQ(lines(then(more), "vector (", "= neg(a_1)"),
            "vector (n: 4) {\n"
            "let a_0: f32 over (n) = %A[n] unit n\n"
            "let a_1: f32 = %A[4]\n"
            "%C[n] unit n = neg(a_0)\n"
            "%C[4] = neg(a_1)")
      << more;
  const std::string three = copied(7, {16});
  EXPECT_TRUE(has(three, "vector (n4: 4, n2: 2) {")) << three;
  EXPECT_TRUE(has(three, "let a_1: f32 over (n2) = %A[n2 + 4] unit n2")) << three;
  EXPECT_TRUE(has(three, "%C[6] = neg(a_2)")) << three;
  EXPECT_EQ(count(then(copied(16, {16})), "= neg("), 4U);
}

// One position is a scalar, and needs no region.
TEST(Unroll, ScalarsStandInNoRegion) {
  const std::string text = copied(1, {16});
  EXPECT_FALSE(has(text, "vector (")) << text;
  EXPECT_TRUE(has(text, "let a1: f32 = %A[0] %C[0] = neg(a1)")) << text;
}

TEST(Unroll, AsManyLanesAsTheTypeHas) {
  auto width = [](const std::string& type, const VectorShape& shape) {
    const std::string text = copied(64, shape, type), begin = "vector (n: ";
    return text.substr(text.find(begin) + begin.size(), 2);
  };
  EXPECT_EQ(width("f32", {64}), "16");
  EXPECT_EQ(width("f64", {64}), "8)");
  EXPECT_EQ(width("i8", {32}), "32");
  EXPECT_EQ(width("i16", {32}), "16");
  EXPECT_EQ(width("f16", {32}), "8)");  // computed as f32
  EXPECT_EQ(width("i8", {32, 4}), "4)");
}

TEST(Unroll, BytesInRegisters) {
  using ir::ScalarType;
  auto value = [](ScalarType type) { return ir::makeValue(type, ir::Variable{"x"}); };
  EXPECT_EQ(registerBytes(ScalarType::I8), 1);
  EXPECT_EQ(registerBytes(ScalarType::I16), 2);
  EXPECT_EQ(registerBytes(ScalarType::F16), 4);
  EXPECT_EQ(registerBytes(ScalarType::BF16), 4);
  EXPECT_EQ(registerBytes(ScalarType::F64), 8);
  EXPECT_EQ(registerBytes(ir::makeCast(ScalarType::F32, value(ScalarType::F64))), 8);
  EXPECT_EQ(registerBytes(ir::makeCast(ScalarType::F32, value(ScalarType::I8))), 4);
  EXPECT_EQ(registerBytes(
                ir::makeCall(ir::Function::Gt, {value(ScalarType::F64), value(ScalarType::F64)})),
            8);
  // A mask of lanes is as wide as what it chooses.
  auto position = ir::makeValue(ScalarType::I64, ir::IndexRef{affine::Expr::iterator("n")});
  EXPECT_EQ(registerBytes(ir::makeCall(ir::Function::Lt, {position, position})), 1);
}

// ---- Masks ----

TEST(Unroll, EachPartHasItsMask) {
  const std::string text =
      unrolledAs(copySpec("N"),
                 "kernel @f(%A: tensor<N x f32>) -> (%C: tensor<N x f32>) level vector { "
                 "tile n0 : n0_size = 0 .. N by 6 parallel { "
                 "view %A0: tensor<n0_size x f32> = (n) -> %A[n0 + n] "
                 "view %C0: tensor<n0_size x f32> = (n) -> %C[n0 + n] "
                 "if unit %A[0] and unit %C[0] { vector (n: 6) { "
                 "let a: f32 over (n) = %A0[n] pad 1.0_f32 unit n %C0[n] unit n clip = neg(a) } } "
                 "else { for n = 0 .. n0_size parallel { %C0[n] = neg(%A0[n]) } } } }",
                 {16}, {4, 6, 12});
  EXPECT_TRUE(has(text, "let a_0: f32 over (n4) = %A0[n4] pad 1.0_f32 unit n4")) << text;
  EXPECT_TRUE(has(text, "let a_1: f32 over (n2) = %A0[n2 + 4] pad 1.0_f32 unit n2")) << text;
  EXPECT_TRUE(has(text, "%C0[n4] unit n4 clip = neg(a_0)")) << text;
  EXPECT_TRUE(has(text, "%C0[n2 + 4] unit n2 clip = neg(a_1)")) << text;
}

TEST(Unroll, PositionsAreThoseOfTheLanes) {
  const std::string text = unrolledAs(
      "kernel @f(%A: tensor<2 x 3 x i64>) -> (%C: tensor<2 x 3 x i64>) level tensors { "
      "op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n]) "
      "{ (a, c) -> add(a, index(m * 10 + n)) } }",
      "kernel @f(%A: tensor<2 x 3 x i64>) -> (%C: tensor<2 x 3 x i64>) level vector { "
      "vector (m: 2, n: 3) { let a: i64 over (m, n) = %A[m, n] "
      "%C[m, n] = add(a, index(m * 10 + n)) } }",
      {16});
  EXPECT_TRUE(has(text, "add(a_1_0, index(n + 10))")) << text;
  EXPECT_TRUE(has(text, "add(a_1_1, index(12))")) << text;
}

// ---- Order ----

// By the position on the other axes: what is loaded for one is used at once. But what is assigned is
// stored when all of it is.
TEST(Unroll, StatementsOfAPositionStandTogether) {
  const std::string text = unrolled(
      "kernel @f(%A: tensor<2 x 4 x f32>, %B: tensor<4 x f32>) -> (%C: tensor<2 x 4 x f32>) "
      "level vector { vector (m: 2, n: 4) { let a: f32 over (m, n) = %A[m, n] "
      "let b: f32 over (n) = %B[n] let c: f32 over (m, n) = mul(a, b) prefetch %C[m, 0] "
      "c = add(c, a) %C[m, n] = c } }",
      {16});
  EXPECT_EQ(lines(text, "vector (", "= c_1"),
            "vector (n: 4) {\n"
            "let b1: f32 over (n) = %B[n]\n"
            "let a_0: f32 over (n) = %A[0, n]\n"
            "let c_0: f32 over (n) = mul(a_0, b1)\n"
            "prefetch %C[0, 0]\n"
            "c_0 = add(c_0, a_0)\n"
            "let a_1: f32 over (n) = %A[1, n]\n"
            "let c_1: f32 over (n) = mul(a_1, b1)\n"
            "prefetch %C[1, 0]\n"
            "c_1 = add(c_1, a_1)\n"
            "%C[0, n] = c_0\n"
            "%C[1, n] = c_1")
      << text;
}

// Law 8: a statement acts on all positions before the next begins, whatever it reads and writes.
TEST(Unroll, ReadsAndWritesOfOtherPositions) {
  auto same = [](const std::string& spec, const std::string& body, const std::string& view = "") {
    unrolledAs(
        "kernel @f(%A: tensor<2 x 4 x f32>) -> (%C: tensor<2 x 4 x f32>, %D: tensor<2 x 4 x "
        "f32>) level tensors { " +
            spec + " }",
        "kernel @f(%A: tensor<2 x 4 x f32>) -> (%C: tensor<2 x 4 x f32>, %D: tensor<2 x 4 x "
        "f32>) level vector { " +
            view + " vector (m: 2, n: 4) { " + body + " } }",
        {16});
  };
  // Written, then read of another row.
  same(
      "op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n]) { (a, c) -> a } "
      "op (m: parallel, n: parallel) ins(%A[1 - m, n]) outs(%D[m, n]) { (a, d) -> a }",
      "%C[m, n] = %A[m, n] let x: f32 over (m, n) = %C[1 - m, n] %D[m, n] = x");
  // Read of another row, then written.
  same(
      "op (m: parallel, n: parallel) ins(%A[1 - m, n]) outs(%D[m, n]) { (a, d) -> a } "
      "op (m: parallel, n: parallel) ins(%D[1 - m, n]) outs(%C[m, n]) { (d, c) -> d }",
      "%D[m, n] = %A[m, n] %C[m, n] = %A[m, n] let x: f32 over (m, n) = %D[1 - m, n] "
      "%D[m, n] = x");
  // Of one row for all.
  same(
      "op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n]) { (a, c) -> a } "
      "op (m: parallel, n: parallel) ins(%A[1, n], %D[m, n] shape) outs(%D[m, n]) { (a, s, d) -> a "
      "}",
      "%C[m, n] = %A[m, n] let x: f32 over (n) = %C[1, n] %D[m, n] = x");
  // By a view.
  same(
      "op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n]) { (a, c) -> a } "
      "op (m: parallel, n: parallel) ins(%A[1 - m, n]) outs(%D[m, n]) { (a, d) -> a }",
      "%C[m, n] = %A[m, n] let x: f32 over (m, n) = %V[m, n] %D[m, n] = x",
      "view %V: tensor<2 x 4 x f32> = (i, j) -> %C[1 - i, j]");
}

// A variable without an axis is assigned when it has been read all along that.
TEST(Unroll, VariablesOfFewerAxes) {
  unrolledAs(
      "kernel @f(%A: tensor<4 x f32>, %B: tensor<2 x f32>) -> (%C: tensor<2 x 4 x f32>, %D: "
      "tensor<4 x f32>) level tensors { op (m: parallel, n: parallel) ins(%A[n], %B[m]) "
      "outs(%C[m, n]) { (a, b, c) -> mul(a, b) } "
      "op (n: parallel) ins(%A[n]) outs(%D[n]) { (a, d) -> add(a, 1.0_f32) } }",
      "kernel @f(%A: tensor<4 x f32>, %B: tensor<2 x f32>) -> (%C: tensor<2 x 4 x f32>, %D: "
      "tensor<4 x f32>) level vector { vector (m: 2, n: 4) { let a: f32 over (n) = %A[n] "
      "let b: f32 over (m) = %B[m] let c: f32 over (m, n) = mul(a, b) a = add(a, 1.0_f32) "
      "%C[m, n] = c %D[n] = a } }",
      {16});
}

// Elements that no two positions share need no order.
TEST(Unroll, ReadsAndWritesApart) {
  const std::string text = unrolled(
      "kernel @f(%A: tensor<8 x f32>) -> (%C: tensor<4 x 4 x f32>) level vector { "
      "vector (m: 2, n: 4) { %C[m + 2, n] = %A[n] let x: f32 over (m, n) = %C[m + 2, n] "
      "%C[m, n] = x } }",
      {16});
  EXPECT_EQ(lines(text, "%C[2", "= x_1"),
            "%C[2, n] = %A[n]\n"
            "let x_0: f32 over (n) = %C[2, n]\n"
            "%C[0, n] = x_0\n"
            "%C[3, n] = %A[n]\n"
            "let x_1: f32 over (n) = %C[3, n]\n"
            "%C[1, n] = x_1")
      << text;
}

// Names that the kernel has are others' names.
TEST(Unroll, NamesAreNew) {
  const std::string text = unrolled(
      "kernel @f(%A: tensor<2 x 4 x f32>) -> (%C: tensor<2 x 4 x f32>) level vector { "
      "for a_0 = 0 .. 1 parallel { vector (m: 2, n: 4) { let a: f32 over (m, n) = %A[m, n] "
      "%C[m + a_0, n] = a } } }",
      {16});
  EXPECT_FALSE(has(text, "let a_0:")) << text;
  EXPECT_EQ(count(text, "let a_"), 2U) << text;
}

// ---- Sums across axes ----

// Vectors of one width are combined before they are reduced, then what is left.
TEST(Unroll, SumsAcrossLanes) {
  auto sum = [](int64_t n, const std::string& function) {
    const std::string size = std::to_string(n);
    return unrolledAs("kernel @f(%A: tensor<" + size +
                          " x f32>) -> (%C: tensor<f32>) level tensors { "
                          "op (n: reduction) ins(%A[n]) outs(%C[]) { (a, c) -> " +
                          function + "(c, a) } }",
                      "kernel @f(%A: tensor<" + size +
                          " x f32>) -> (%C: tensor<f32>) level vector { "
                          "vector (n: " +
                          size +
                          ") { let s: f32 over (n) = %A[n] "
                          "%C[] = " +
                          function + "(%C[], reduce " + function + " over n (s)) } }",
                      {16});
  };
  EXPECT_TRUE(has(sum(4, "add"), "add(%C[], reduce add over n (s1))"));
  EXPECT_TRUE(has(sum(8, "max"), "max(%C[], reduce max over n (max(s_0, s_1)))"));
  EXPECT_TRUE(
      has(sum(13, "add"), "add(%C[], add(reduce add over n (add(add(s_0, s_1), s_2)), s_3))"))
      << sum(13, "add");
  EXPECT_TRUE(
      has(sum(6, "min"), "min(%C[], min(reduce min over n4 (s_0), reduce min over n2 (s_1)))"))
      << sum(6, "min");
  EXPECT_TRUE(has(sum(1, "mul"), "mul(%C[], s1)"));
}

TEST(Unroll, SumsAcrossOtherAxes) {
  const std::string text = unrolledAs(
      "kernel @f(%A: tensor<3 x 4 x f32>) -> (%C: tensor<4 x f32>) level tensors { "
      "op (k: reduction, n: parallel) ins(%A[k, n]) outs(%C[n]) { (a, c) -> add(c, a) } }",
      "kernel @f(%A: tensor<3 x 4 x f32>) -> (%C: tensor<4 x f32>) level vector { "
      "vector (k: 3, n: 4) { let s: f32 over (k, n) = %A[k, n] "
      "%C[n] = add(%C[n], reduce add over k (s)) } }",
      {16});
  EXPECT_TRUE(has(text, "%C[n] = add(%C[n], add(add(s_0, s_1), s_2))")) << text;
}

// ---- Transposes ----

std::string turned(int64_t m, int64_t n, const VectorShape& shape) {
  const std::string rows = std::to_string(m), columns = std::to_string(n),
                    header = "kernel @f(%A: tensor<" + rows + " x " + columns +
                             " x f32>) -> (%E: tensor<" + columns + " x " + rows + " x f32>) ";
  return then(unrolledAs(
      header + "level tensors { op (m: parallel, n: parallel) ins(%A[m, n]) outs(%E[n, m]) "
               "{ (a, e) -> neg(a) } }",
      header + "level vector { if unit %A[1] and unit %E[1] { vector (m: " + rows +
          ", n: " + columns +
          ") { let a: f32 over (m, n) = %A[m, n] unit n %E[n, m] unit m = neg(a) } } "
          "else { for m = 0 .. " +
          rows + " parallel { for n = 0 .. " + columns +
          " parallel { %E[n, m] = neg(%A[m, n]) } } } }",
      shape));
}

// Two rounds of four shuffles make four columns of four rows.
TEST(Unroll, StoresAreTransposed) {
  const std::string text = turned(4, 4, {16});
  EXPECT_EQ(lines(text, "let row", "%E[3"),
            "let row: f32 over (n) = neg(a_0)\n"
            "let row1: f32 over (n) = neg(a_1)\n"
            "let row2: f32 over (n) = neg(a_2)\n"
            "let row3: f32 over (n) = neg(a_3)\n"
            "let row4: f32 over (n) = shuffle n [0, 4, 2, 6] (row, row1)\n"
            "let row5: f32 over (n) = shuffle n [1, 5, 3, 7] (row, row1)\n"
            "let row6: f32 over (n) = shuffle n [0, 4, 2, 6] (row2, row3)\n"
            "let row7: f32 over (n) = shuffle n [1, 5, 3, 7] (row2, row3)\n"
            "let row8: f32 over (n) = shuffle n [0, 1, 4, 5] (row4, row6)\n"
            "let row9: f32 over (n) = shuffle n [0, 1, 4, 5] (row5, row7)\n"
            "let row10: f32 over (n) = shuffle n [2, 3, 6, 7] (row4, row6)\n"
            "let row11: f32 over (n) = shuffle n [2, 3, 6, 7] (row5, row7)\n"
            "%E[0, n] unit n = row8\n"
            "%E[1, n] unit n = row9\n"
            "%E[2, n] unit n = row10\n"
            "%E[3, n] unit n = row11")
      << text;
}

TEST(Unroll, SquaresOfOtherSides) {
  EXPECT_EQ(count(turned(2, 2, {16}), "shuffle n"), 2U);
  EXPECT_EQ(count(turned(8, 8, {32}), "shuffle n"), 24U);
  // Several squares, each of its own rows and columns.
  const std::string text = turned(8, 12, {16});
  EXPECT_EQ(count(text, "shuffle n"), 6U * 8) << text;
  EXPECT_EQ(count(text, "unit n = row"), 24U) << text;
  EXPECT_TRUE(has(text, "%E[11, n + 4] unit n = row")) << text;
  // None: elements one by one.
  EXPECT_EQ(count(turned(3, 4, {16}), "shuffle"), 0U);
  EXPECT_EQ(count(turned(3, 4, {16}), "] = neg("), 12U);
}

TEST(Unroll, LoadsAreTransposed) {
  const std::string header =
      "kernel @f(%A: tensor<4 x 4 x f32>, %B: tensor<4 x 4 x f32>) -> (%C: tensor<4 x 4 x f32>) ";
  const std::string text = then(unrolledAs(
      header + "level tensors { op (m: parallel, n: parallel) ins(%A[m, n], %B[n, m]) "
               "outs(%C[m, n]) { (a, b, c) -> sub(a, b) } }",
      header + "level vector { if unit %A[1] and unit %B[1] and unit %C[1] { vector (m: 4, n: 4) { "
               "let a: f32 over (m, n) = %A[m, n] unit n let b: f32 over (m, n) = %B[n, m] unit m "
               "%C[m, n] unit n = sub(a, b) } } else { for m = 0 .. 4 parallel { "
               "for n = 0 .. 4 parallel { %C[m, n] = sub(%A[m, n], %B[n, m]) } } } }",
      {16}));
  EXPECT_EQ(count(text, "= %B["), 4U) << text;
  EXPECT_TRUE(has(text, "let row: f32 over (n) = %B[0, n] unit n")) << text;
  EXPECT_EQ(count(text, "shuffle n"), 8U) << text;
  EXPECT_EQ(count(text, "%C["), 4U + 1) << text;  // and the condition
}

// ---- Lanes of a device ----

// What all lanes read alike along another axis is read in vectors, and each lane of it spread.
TEST(Unroll, DevicesReadVectorsAndSpreadTheirLanes) {
  const std::string spec =
      "kernel @f(%A: tensor<8 x f32>, %B: tensor<4 x f32>) -> (%C: tensor<8 x 4 x f32>) "
      "level tensors { op (m: parallel, n: parallel) ins(%A[m], %B[n]) outs(%C[m, n]) "
      "{ (a, b, c) -> mul(a, b) } }";
  const std::string text =
      "kernel @f(%A: tensor<8 x f32>, %B: tensor<4 x f32>) -> (%C: tensor<8 x 4 x f32>) "
      "level vector { if unit %A[0] and unit %B[0] and unit %C[1] { vector (m: 8, n: 4) { "
      "let b: f32 over (n) = %B[n] unit n let a: f32 over (m) = %A[m] unit m "
      "%C[m, n] unit n = mul(a, b) } } else { for m = 0 .. 8 parallel { for n = 0 .. 4 parallel { "
      "%C[m, n] = mul(%A[m], %B[n]) } } } }";
  const std::string device = then(unrolledAs(spec, text, {16, 4}));
  EXPECT_EQ(count(device, "= %A["), 2U) << device;
  EXPECT_TRUE(has(device, "let a_row: f32 over (n) = %A[n] unit n")) << device;
  EXPECT_TRUE(has(device, "let a_0: f32 over (n) = shuffle n [0, 0, 0, 0] (a_row, a_row)"))
      << device;
  EXPECT_TRUE(has(device, "= %A[n + 4] unit n")) << device;
  EXPECT_EQ(count(device, "shuffle n [3, 3, 3, 3]"), 2U) << device;
  // A CPU reads scalars.
  const std::string cpu = then(unrolledAs(spec, text, {16}));
  EXPECT_EQ(count(cpu, "= %A["), 8U) << cpu;
  EXPECT_EQ(count(cpu, "shuffle"), 0U) << cpu;
}

}  // namespace
}  // namespace einc::transforms
