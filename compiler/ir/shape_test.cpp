// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/shape.h"

#include "compiler/ir/test_text.h"

namespace einc::ir {
namespace {

Kernel withArguments(const std::string& arguments) {
  return test::parsedKernel("kernel @f(" + arguments +
                            ") -> (%C: tensor<M x f32>) level tensors {"
                            " op (m: parallel) outs(%C[m]) { (c) -> c } }");
}

std::string bindings(const Kernel& kernel) {
  std::string text;
  for (const SymbolBinding& b : bindSymbols(kernel))
    text += b.symbol + " = (%" + kernel.tensors[b.tensor].name + "." + std::to_string(b.dim) +
            " - (" + b.offset.str() + ")) / " + std::to_string(b.scale) + "; ";
  return text;
}

const StructuredOp& lastOp(const Kernel& kernel) {
  return std::get<StructuredOp>(kernel.body.back().node);
}

TEST(Shape, SymbolsAreBoundPlainOnesFirst) {
  EXPECT_EQ(bindings(withArguments(
                "%A: tensor<(N + M) x 3 x f32>, s: i64, %B: tensor<(K * 2 - s) x f32>")),
            "M = (%C.0 - (0)) / 1; N = (%A.0 - (M)) / 1; K = (%B.0 - (-s)) / 2; ");
  EXPECT_EQ(bindings(withArguments("%A: tensor<(N + K) x (K + M) x f32>")),
            "M = (%C.0 - (0)) / 1; K = (%A.1 - (M)) / 1; N = (%A.0 - (K)) / 1; ");
  EXPECT_EQ(bindings(withArguments("%A: tensor<(N + K) x (N floordiv 2) x f32>")),
            "M = (%C.0 - (0)) / 1; ");
}

TEST(Shape, DimensionsThatDoNotBindAreConditions) {
  Kernel kernel = withArguments("%A: tensor<M x 3 x f32>, %B: tensor<M x f32>");
  std::string text;
  for (const SizeCondition& c : sizeConditions(kernel, bindSymbols(kernel)))
    text += kernel.tensors[c.tensor].name + std::to_string(c.dim) + " ";
  EXPECT_EQ(text, "A1 B0 C0 ");
}

// The first dimension indexed by the iterator alone; padded operands only if there is no other.
TEST(Shape, Extents) {
  Kernel kernel = test::goodKernel(R"(
    kernel @f(%A: tensor<N x f32>, %B: tensor<K x M x f32>) -> (%C: tensor<M x f32>) level tensors {
      op (m: parallel, k: reduction) ins(%A[m] pad 0.0_f32, %A[m + 1], %B[k, m] pad 0.0_f32) outs(%C[m])
          { (a, a1, b, c) -> add(a, a1) }
    })");
  const StructuredOp& op = lastOp(kernel);
  EXPECT_EQ(extentOf(kernel, op, "m")->extent.str(), "M");
  EXPECT_EQ(extentOf(kernel, op, "m")->operand, 3u);
  EXPECT_EQ(extentOf(kernel, op, "k")->extent.str(), "K");
  EXPECT_FALSE(extentOf(kernel, op, "z"));
  auto conditions = accessConditions(kernel, op);
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_EQ(conditions[0].operand, 1u);
}

}  // namespace
}  // namespace einc::ir
