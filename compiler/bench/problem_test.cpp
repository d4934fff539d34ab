// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/problem.h"

#include "compiler/ir/test_text.h"

namespace einc::bench {
namespace {

ir::Kernel kernel(const std::string& signature, const std::string& body) {
  return ir::test::goodKernel("kernel @f(" + signature + " level tensors { " + body + " }");
}

std::string nameOf(const std::string& signature, const std::string& body) {
  auto found = recognize(kernel(signature, body));
  return found ? found->name : found.reason();
}

const char* const kSquare =
    "%A: tensor<4 x 6 x f32>, %B: tensor<6 x 5 x f32>) -> (%C: tensor<4 x 5 x f32>)";
const char* const kProduct =
    "op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) "
    "{ (a, b, c) -> add(c, mul(a, b)) }";

TEST(Recognize, MatrixProducts) {
  auto plain = recognize(kernel(kSquare, kProduct));
  ASSERT_TRUE(plain) << plain.reason();
  EXPECT_EQ(plain->name, "gemm");
  EXPECT_EQ(plain->problem.m, 4);
  EXPECT_EQ(plain->problem.n, 5);
  EXPECT_EQ(plain->problem.k, 6);
  EXPECT_FALSE(plain->problem.transposed_a || plain->problem.transposed_b ||
               plain->problem.swapped || plain->problem.is_double || plain->problem.overwrites);
  EXPECT_EQ(plain->inputs, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(plain->output, 2u);
}

// Names, the order of iterators, of arguments and of factors say nothing.
TEST(Recognize, MatrixProductsWrittenInAnotherWay) {
  auto found = recognize(
      kernel("%X: tensor<6 x 4 x f64>, %Y: tensor<5 x 6 x f64>) -> (%Z: tensor<5 x 4 x f64>)",
             "op (z: reduction, p: parallel, q: parallel) ins(%X[z, q], %Y[p, z]) outs(%Z[p, q]) "
             "{ (x, y, o) -> add(mul(y, x), o) }"));
  ASSERT_TRUE(found) << found.reason();
  EXPECT_EQ(found->name, "gemm");
  EXPECT_TRUE(found->problem.is_double);
  EXPECT_TRUE(found->problem.swapped);
  EXPECT_EQ(found->inputs, (std::vector<unsigned>{1, 0}));
  EXPECT_EQ(found->problem.m, 5);
  EXPECT_EQ(found->problem.n, 4);
  EXPECT_FALSE(found->problem.transposed_a || found->problem.transposed_b);
}

TEST(Recognize, TransposedMatrices) {
  auto found = recognize(
      kernel("%A: tensor<6 x 4 x f32>, %B: tensor<5 x 6 x f32>) -> (%C: tensor<4 x 5 x f32>)",
             "op (m: parallel, n: parallel, k: reduction) ins(%A[k, m], %B[n, k]) outs(%C[m, n]) "
             "{ (a, b, c) -> add(c, mul(a, b)) }"));
  ASSERT_TRUE(found) << found.reason();
  EXPECT_EQ(found->name, "gemm");
  EXPECT_TRUE(found->problem.transposed_a);
  EXPECT_TRUE(found->problem.transposed_b);
}

TEST(Recognize, AFirstValueOverwrites) {
  auto found = recognize(kernel(
      kSquare,
      std::string("op (m: parallel, n: parallel) outs(%C[m, n]) { (c) -> 0.0_f32 } ") + kProduct));
  ASSERT_TRUE(found) << found.reason();
  EXPECT_TRUE(found->problem.overwrites);
}

TEST(Recognize, ProductsWithAVector) {
  EXPECT_EQ(nameOf("%A: tensor<4 x 6 x f32>, %x: tensor<6 x f32>) -> (%y: tensor<4 x f32>)",
                   "op (m: parallel, k: reduction) ins(%A[m, k], %x[k]) outs(%y[m]) "
                   "{ (a, x, y) -> add(y, mul(a, x)) }"),
            "gemv");
}

TEST(Recognize, BatchesAndMergedIterators) {
  EXPECT_EQ(nameOf("%A: tensor<3 x 4 x 6 x f32>, %B: tensor<3 x 6 x 5 x f32>) -> "
                   "(%C: tensor<3 x 4 x 5 x f32>)",
                   "op (b: parallel, m: parallel, n: parallel, k: reduction) "
                   "ins(%A[b, m, k], %B[b, k, n]) outs(%C[b, m, n]) "
                   "{ (a, b, c) -> add(c, mul(a, b)) }"),
            "batched gemm");
  // Two dimensions that lie side by side in both are one.
  auto merged = recognize(kernel(
      "%A: tensor<2 x 4 x 6 x f32>, %B: tensor<6 x 5 x f32>) -> (%C: tensor<2 x 4 x 5 x f32>)",
      "op (i: parallel, j: parallel, n: parallel, k: reduction) "
      "ins(%A[i, j, k], %B[k, n]) outs(%C[i, j, n]) { (a, b, c) -> add(c, mul(a, b)) }"));
  ASSERT_TRUE(merged) << merged.reason();
  EXPECT_EQ(merged->name, "gemm");
  EXPECT_EQ(merged->problem.m, 8);
}

TEST(Recognize, OtherContractionsAreTransposedFirst) {
  auto found = recognize(kernel(
      "%A: tensor<2 x 6 x 4 x f32>, %B: tensor<6 x 5 x f32>) -> (%C: tensor<4 x 2 x 5 x f32>)",
      "op (j: parallel, i: parallel, n: parallel, k: reduction) "
      "ins(%A[i, k, j], %B[k, n]) outs(%C[j, i, n]) { (a, b, c) -> add(c, mul(a, b)) }"));
  ASSERT_TRUE(found) << found.reason();
  EXPECT_EQ(found->name, "transposition and gemm");
  const einc_bench_move& move = found->problem.moves[0];
  ASSERT_EQ(move.rank, 3);
  // i, k, j as they lie, and where they go in [j, i][k].
  EXPECT_EQ(std::vector<int64_t>(move.sizes, move.sizes + 3), (std::vector<int64_t>{2, 6, 4}));
  EXPECT_EQ(std::vector<int64_t>(move.from, move.from + 3), (std::vector<int64_t>{24, 4, 1}));
  EXPECT_EQ(std::vector<int64_t>(move.to, move.to + 3), (std::vector<int64_t>{6, 1, 12}));
  EXPECT_EQ(found->problem.moves[1].rank, 0);
  EXPECT_EQ(found->problem.moves[2].rank, 0);
}

// Whichever comes first.
TEST(Recognize, ProductsOfNarrowElements) {
  const std::string product =
      "op (m: parallel, n: parallel, k: reduction) ins(%A[k, m], %B[n, k]) outs(%C[n, m]) { (a, b, "
      "c) -> add(c, mul(cast<i32>(a), cast<i32>(b))) }";
  auto bytes = recognize(kernel(
      "%A: tensor<6 x 4 x i8>, %B: tensor<5 x 6 x u8>) -> (%C: tensor<5 x 4 x i32>)", product));
  ASSERT_TRUE(bytes) << bytes.reason();
  EXPECT_TRUE(bytes->problem.swapped);
  EXPECT_EQ(bytes->problem.type_a, EINC_BENCH_U8);
  EXPECT_EQ(bytes->problem.type_b, EINC_BENCH_S8);
  EXPECT_EQ(
      nameOf("%A: tensor<4 x 6 x bf16>, %B: tensor<6 x 5 x f32>) -> (%C: tensor<4 x 5 x f32>)",
             "op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, "
             "n]) { (a, b, c) -> add(c, mul(cast<f32>(a), b)) }"),
      "no library here does this: its inputs differ in type");
}

TEST(Recognize, NearMissesOfProducts) {
  auto withPayload = [](const std::string& payload) {
    return nameOf(kSquare,
                  "op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) "
                  "outs(%C[m, n]) { (a, b, c) -> " +
                      payload + " }");
  };
  const std::string noProduct = "no library here does this: its payload is no sum of products";
  EXPECT_EQ(withPayload("max(c, add(a, b))"), noProduct);
  EXPECT_EQ(withPayload("add(c, square(sub(a, b)))"), noProduct);
  EXPECT_EQ(withPayload("add(c, mul(a, a))"), noProduct);
  EXPECT_EQ(withPayload("sub(c, mul(a, b))"), noProduct);
  EXPECT_EQ(withPayload("add(c, mul(add(a, 1.0_f32), b))"), noProduct);
  EXPECT_EQ(nameOf("%A: tensor<4 x 6 x i32>, %B: tensor<6 x 5 x i32>) -> (%C: tensor<4 x 5 x i32>)",
                   kProduct),
            "no library here does this: its types are not all f32 or all f64, nor bf16 and f32, or "
            "bytes and i32");
  EXPECT_EQ(
      nameOf("%A: tensor<4 x 6 x 3 x f32>, %B: tensor<6 x 5 x f32>) -> (%C: tensor<4 x 5 x f32>)",
             "op (m: parallel, n: parallel, k: reduction, l: reduction) ins(%A[m, k, l], "
             "%B[k, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }"),
      "no library here does this: iterator l is in one operand only");
}

TEST(Recognize, SizesThatAreNotFixed) {
  auto found = recognize(kernel(
      "%A: tensor<M x 6 x f32>, %B: tensor<6 x 5 x f32>) -> (%C: tensor<M x 5 x f32>)", kProduct));
  ASSERT_FALSE(found);
  EXPECT_NE(found.reason().find("give --dim for M"), std::string::npos) << found.reason();
}

const char* const kConvolution =
    "op (n: parallel, y: parallel, x: parallel, f: parallel, r: reduction, s: reduction, c: "
    "reduction) ins(%I[n, y * 2 + r - 1, x * 2 + s * 3 - 1, c] pad 0.0_f32, %K[r, s, c, f]) "
    "outs(%O[n, y, x, f]) { (i, k, o) -> add(o, mul(i, k)) }";
const char* const kImages =
    "%I: tensor<2 x 9 x 12 x 7 x f32>, %K: tensor<3 x 2 x 7 x 5 x f32>) -> "
    "(%O: tensor<2 x 5 x 6 x 5 x f32>)";

TEST(Recognize, Convolutions) {
  auto found = recognize(kernel(kImages, kConvolution));
  ASSERT_TRUE(found) << found.reason();
  EXPECT_EQ(found->name, "convolution");
  const einc_bench_problem& p = found->problem;
  EXPECT_EQ(p.kind, EINC_BENCH_CONV);
  EXPECT_EQ(p.images, 2);
  EXPECT_EQ(p.groups, 1);
  EXPECT_EQ(p.in_channels, 7);
  EXPECT_EQ(p.out_channels, 5);
  using Pair = std::vector<int64_t>;
  auto pair = [](const int64_t* at) { return Pair(at, at + 2); };
  EXPECT_EQ(pair(p.in), (Pair{9, 12}));
  EXPECT_EQ(pair(p.window), (Pair{3, 2}));
  EXPECT_EQ(pair(p.out), (Pair{5, 6}));
  EXPECT_EQ(pair(p.step), (Pair{2, 2}));
  EXPECT_EQ(pair(p.dilation), (Pair{1, 3}));
  EXPECT_EQ(pair(p.pad), (Pair{1, 1}));
  EXPECT_EQ(Pair(p.in_strides, p.in_strides + 4), (Pair{756, 1, 84, 7}));
  EXPECT_EQ(Pair(p.window_strides + 1, p.window_strides + 5), (Pair{1, 5, 70, 35}));
  EXPECT_EQ(Pair(p.out_strides, p.out_strides + 4), (Pair{150, 1, 30, 5}));
}

// Of windows whose channels lie in blocks strides are those of blocks.
TEST(Recognize, ConvolutionsWithWindowsLaidOut) {
  const std::string op =
      "op (n: parallel, y: parallel, x: parallel, p: parallel, f: parallel, r: reduction, s: "
      "reduction, b: reduction, c: reduction) ins(%I[n, y + r, x + s, b * 4 + c], %K[p, r, s, b, "
      "f, c]) outs(%O[n, y, x, p, f]) { (i, k, o) -> add(o, mul(i, k)) }";
  const std::string image = "%I: tensor<1 x 8 x 8 x 12 x f32>, ";
  auto found = recognize(kernel(image + "%K: tensor<2 x 3 x 3 x 3 x 16 x 4 x f32>) -> "
                                        "(%O: tensor<1 x 6 x 6 x 2 x 16 x f32>)",
                                op));
  ASSERT_TRUE(found) << found.reason();
  const einc_bench_problem& p = found->problem;
  using List = std::vector<int64_t>;
  EXPECT_EQ((List{p.in_channels, p.in_block, p.out_channels, p.out_block}), (List{12, 4, 32, 16}));
  EXPECT_EQ(List(p.in_strides, p.in_strides + 4), (List{768, 1, 96, 12}));
  EXPECT_EQ(List(p.window_strides + 1, p.window_strides + 5), (List{1728, 64, 576, 192}));
  EXPECT_EQ(List(p.out_strides, p.out_strides + 4), (List{1152, 1, 192, 32}));

  // Blocks of 8 of which 4 are used are none.
  found = recognize(kernel(image + "%K: tensor<2 x 3 x 3 x 1 x 16 x 8 x f32>) -> "
                                   "(%O: tensor<1 x 6 x 6 x 2 x 16 x f32>)",
                           op));
  EXPECT_FALSE(found);
}

TEST(Recognize, DepthwiseConvolutions) {
  auto found = recognize(
      kernel("%I: tensor<1 x 8 x 8 x 7 x f32>, %K: tensor<3 x 3 x 7 x f32>) -> "
             "(%O: tensor<1 x 6 x 6 x 7 x f32>)",
             "op (n: parallel, y: parallel, x: parallel, c: parallel, r: reduction, s: reduction) "
             "ins(%I[n, y + r, x + s, c], %K[r, s, c]) outs(%O[n, y, x, c]) "
             "{ (i, k, o) -> add(o, mul(i, k)) }"));
  ASSERT_TRUE(found) << found.reason();
  EXPECT_EQ(found->name, "depthwise convolution");
  EXPECT_EQ(found->problem.groups, 7);
  EXPECT_EQ(found->problem.in_channels, 1);
}

std::string pooling(const std::string& payload, const std::string& pad = "") {
  return nameOf(
      "%I: tensor<1 x 8 x 8 x 7 x f32>, %K: tensor<3 x 3 x f32>) -> "
      "(%O: tensor<1 x 6 x 6 x 7 x f32>)",
      "op (n: parallel, y: parallel, x: parallel, c: parallel, r: reduction, s: "
      "reduction) ins(%I[n, y + r, x + s, c]" +
          pad +
          ", %K[r, s] shape) "
          "outs(%O[n, y, x, c]) { (i, k, o) -> " +
          payload + " }");
}

TEST(Recognize, Pooling) {
  EXPECT_EQ(pooling("max(o, i)"), "pooling");
  EXPECT_EQ(pooling("add(i, o)"), "pooling");
  EXPECT_EQ(pooling("min(o, i)"),
            "no library here does this: pooling is of sums and largest values");
  EXPECT_EQ(pooling("max(o, i)", " pad 0.0_f32"),
            "no library here does this: pooling with padding that takes part");
}

TEST(Recognize, Copies) {
  auto copy = [](const std::string& index, const std::string& payload) {
    return nameOf("%A: tensor<4 x 6 x f32>) -> (%B: tensor<6 x 4 x f32>)",
                  "op (i: parallel, j: parallel) ins(%A[" + index +
                      "]) outs(%B[j, i]) { (a, b) -> " + payload + " }");
  };
  EXPECT_EQ(copy("i, j", "a"), "transposition");
  EXPECT_EQ(copy("i, j", "add(a, b)"), "no library here does this: it has not one or two inputs");
  EXPECT_EQ(nameOf("%A: tensor<4 x 6 x f32>) -> (%B: tensor<4 x 6 x f32>)",
                   "op (i: parallel, j: parallel) ins(%A[i, j]) outs(%B[i, j]) { (a, b) -> a }"),
            "copy");
  EXPECT_EQ(nameOf("%A: tensor<6 x f32>) -> (%B: tensor<4 x 6 x f32>)",
                   "op (i: parallel, j: parallel) ins(%A[j]) outs(%B[i, j]) { (a, b) -> a }"),
            "no library here does this: a copy whose indices are not plain");
}

// ---- Work ----

Work workOf(const std::string& signature, const std::string& body, bool ternary = false) {
  auto work = measureWork(kernel(signature, body), ternary);
  EXPECT_TRUE(work) << work.reason();
  return work ? *work : Work{};
}

TEST(MeasureWork, AProduct) {
  Work work = workOf(kSquare, kProduct);
  EXPECT_EQ(work.iterations, 120);
  EXPECT_EQ(work.operations, 240);
  EXPECT_EQ(work.instructions, 120);  // one multiply-add each
  EXPECT_EQ(work.bytes, 4 * (24 + 30 + 2 * 20));
  EXPECT_EQ(work.sumLength, 6);
}

TEST(MeasureWork, OtherPayloads) {
  auto with = [](const std::string& payload) {
    return workOf(kSquare,
                  "op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) "
                  "outs(%C[m, n]) { (a, b, c) -> " +
                      payload + " }");
  };
  EXPECT_EQ(with("max(c, add(a, b))").instructions, 240);
  EXPECT_EQ(with("add(c, square(sub(a, b)))").instructions, 240);
  EXPECT_EQ(with("add(c, square(sub(a, b)))").operations, 360);
}

TEST(MeasureWork, OperationsOnBits) {
  const char* bits =
      "%A: tensor<4 x 6 x bool>, %B: tensor<6 x 5 x bool>) -> (%C: tensor<4 x 5 x bool>)";
  const char* reach =
      "op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) "
      "{ (a, b, c) -> or(c, and(a, b)) }";
  EXPECT_EQ(workOf(bits, reach, false).instructions, 240);
  EXPECT_EQ(workOf(bits, reach, true).instructions, 120);
  EXPECT_EQ(workOf(bits, reach).elementBytes, 1);
}

TEST(MeasureWork, BytesOfWhatIsOverwrittenOrHasAShapeOnly) {
  EXPECT_EQ(workOf("%A: tensor<4 x 6 x f32>) -> (%B: tensor<4 x 6 x f32>)",
                   "op (i: parallel, j: parallel) ins(%A[i, j]) outs(%B[i, j]) { (a, b) -> a }")
                .bytes,
            2 * 24 * 4);
  EXPECT_EQ(workOf("%A: tensor<3 x 3 x i4>) -> (%B: tensor<3 x 3 x f8e5m2>)",
                   "op (i: parallel, j: parallel) ins(%A[i, j]) outs(%B[i, j]) "
                   "{ (a, b) -> cast<f8e5m2>(a) }")
                .bytes,
            4.5 + 9);
  EXPECT_EQ(workOf(kSquare, std::string("op (m: parallel, n: parallel) outs(%C[m, n]) "
                                        "{ (c) -> 0.0_f32 } ") +
                                kProduct)
                .bytes,
            4 * (24 + 30 + 20));
}

}  // namespace
}  // namespace einc::bench
