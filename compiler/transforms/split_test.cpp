// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/split.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::has;

// The op of `text` with its k in parts of `width`; the result is the same around these sizes.
std::string split(const std::string& text, const affine::Expr& width,
                  const std::set<int64_t>& sizes = {}) {
  ir::Kernel kernel = ir::test::goodKernel(test::at("tiled", text));
  const auto op = std::get<ir::StructuredOp>(kernel.body[0].node);
  Builder builder(kernel);
  kernel.body = splitReduction(builder, op, "k", width, "k_part");
  test::expectComputes(test::at("tensors", text), kernel, sizes);
  return ir::print(kernel);
}
std::string rows(const std::string& payload, const std::string& type = "f32",
                 const std::string& k = "K") {
  return "kernel @f(%A: tensor<M x " + k + " x " + type + ">) -> (%C: tensor<M x " + type +
         ">) level @ { op (m: parallel, k: reduction) ins(%A[m, k]) outs(%C[m]) { (a, c) -> " +
         payload + " } }";
}

TEST(Split, PartsThenTheirSumThenWhatIsLeft) {
  const std::string text = split(rows("add(c, a)"), constant(4), {4, 8});
  EXPECT_EQ(
      test::lines(text, "alloc %C_parts", "add(c, a_rest)"),
      "alloc %C_parts: tensor<(K floordiv 4) x M x f32>\n"
      "op (k_part: parallel, m: parallel) outs(%C_parts[k_part, m]) { (c_parts) -> 0.0_f32 }\n"
      "view %A_parts: tensor<M x (K floordiv 4) x 4 x f32> = (m, k_part, k) -> "
      "%A[m, k_part * 4 + k]\n"
      "op (k_part: parallel, m: parallel, k: reduction)\n"
      "ins(%A_parts[m, k_part, k])\n"
      "outs(%C_parts[k_part, m])\n"
      "{ (a_parts, c_parts) -> add(c_parts, a_parts) }\n"
      "op (m: parallel, k_part: reduction)\n"
      "ins(%C_parts[k_part, m])\n"
      "outs(%C[m])\n"
      "{ (c_parts, c) -> add(c, c_parts) }\n"
      "view %A_rest: tensor<M x (K - (K floordiv 4) * 4) x f32> = (m, k) -> "
      "%A[m, (K floordiv 4) * 4 + k]\n"
      "op (m: parallel, k: reduction) ins(%A_rest[m, k]) outs(%C[m]) "
      "{ (a_rest, c) -> add(c, a_rest) }");
}

// Parts are one below the other, so that what starts them and sums them up are whole maps.
TEST(Split, TheWidthMayBeASize) {
  const std::string text = split(
      "kernel @f(%A: tensor<M x K x f32>, %B: tensor<W x f32>) -> (%C: tensor<M x f32>) level @ { "
      "op (m: parallel, k: reduction) ins(%A[m, k], %B[m] shape) outs(%C[m]) { (a, b, c) -> "
      "add(c, a) } }",
      size("K") + constant(1));
  EXPECT_TRUE(has(text, "%C_parts: tensor<(K floordiv (K + 1)) x M x f32>")) << text;
}

// One part or none, and all around whole parts.
TEST(Split, OfKnownExtents) {
  for (const char* k : {"0", "1", "3", "4", "5", "7", "8", "9"})
    split(rows("add(c, a)", "f32", k), constant(4));
  EXPECT_TRUE(has(split(rows("add(c, a)", "f32", "9"), constant(4)),
                  "view %A_rest: tensor<M x 1 x f32> = (m, k) -> %A[m, k + 8]"));
  split(rows("add(c, a)", "f32", "5"), constant(1));
}

TEST(Split, PartsStartFromWhatChangesNothing) {
  auto neutralOf = [](const std::string& payload, const std::string& type) {
    const std::string text = split(rows(payload, type), constant(2), {4}),
                      begin = "{ (c_parts) -> ";
    const size_t from = text.find(begin) + begin.size();
    return text.substr(from, text.find(" }", from) - from);
  };
  EXPECT_EQ(neutralOf("mul(c, a)", "f32"), "1.0_f32");
  EXPECT_EQ(neutralOf("max(c, a)", "f32"), "-inf_f32");
  EXPECT_EQ(neutralOf("min(c, a)", "f64"), "inf_f64");
  EXPECT_EQ(neutralOf("min(c, a)", "i32"), "2147483647_i32");
  EXPECT_EQ(neutralOf("or(c, a)", "bool"), "false");
}

TEST(Split, PositionsInThePayloadAreThoseOfTheWholeOp) {
  const std::string text =
      split(rows("add(c, mul(a, cast<i64>(index(k))))", "i64"), constant(3), {3, 6});
  EXPECT_TRUE(has(text, "index(k_part * 3 + k)")) << text;
}

// The first of the largest values, and where it stands.
TEST(Split, PairsByTheirCombiner) {
  const std::string text = split(R"(
    kernel @f(%X: tensor<M x K x i32>) -> (%V: tensor<M x i32>, %P: tensor<M x i64>) level @ {
      op (m: parallel, k: reduction) ins(%X[m, k]) outs(%V[m], %P[m])
          { (x, v, p) -> select(or(gt(v, x), and(eq(v, x), le(p, index(k)))), v, x),
                         select(or(gt(v, x), and(eq(v, x), le(p, index(k)))), p, index(k)) }
          combine { (v, p, w, q) -> select(or(gt(v, w), and(eq(v, w), le(p, q))), v, w),
                                    select(or(gt(v, w), and(eq(v, w), le(p, q))), p, q) }
          neutral (-2147483648_i32, 9223372036854775807_i64)
    })",
                                 constant(4), {4, 8});
  EXPECT_TRUE(has(text, "(v_parts, p_parts) -> -2147483648_i32, 9223372036854775807_i64")) << text;
  EXPECT_EQ(test::count(text, "combine {"), 3U) << text;
  EXPECT_TRUE(has(text, "outs(%V_parts[k_part, m], %P_parts[k_part, m])")) << text;
}

TEST(Split, SeveralReductionsAndTakenNames) {
  const std::string text = split(
      "kernel @f(%A: tensor<M x K x N x f32>) -> (%C: tensor<M x f32>) level @ { op (m: parallel, "
      "k: reduction, k_part: reduction) ins(%A[m, k, k_part]) outs(%C[m]) "
      "{ (a, c) -> add(c, a) } }",
      constant(2), {4});
  EXPECT_FALSE(has(text, "k_part: parallel")) << text;
}

}  // namespace
}  // namespace einc::transforms
