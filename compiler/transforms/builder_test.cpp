// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/builder.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::count;
using test::has;

// The op of `text` on views; the result is the same.
std::string canonical(const std::string& text) {
  ir::Kernel kernel = ir::test::goodKernel(test::at("tiled", text));
  auto op = std::get<ir::StructuredOp>(kernel.body[0].node);
  Builder builder(kernel);
  ir::Block block;
  canonicalize(builder, op, block);
  block.push_back({op});
  kernel.body = std::move(block);
  test::expectComputes(test::at("tensors", text), kernel);
  return ir::print(kernel);
}

TEST(Builder, MapsBecomeIterators) {
  const std::string text = canonical(
      "kernel @f(%A: tensor<N x f32>, %B: tensor<K x f32>) -> (%C: tensor<M x f32>) level @ { "
      "op (m: parallel, k: reduction) ins(%A[m + k] pad 0.0_f32, %B[k]) outs(%C[m]) "
      "{ (a, b, c) -> add(c, mul(a, b)) } }");
  EXPECT_TRUE(has(text,
                  "view %A_at: tensor<M x K x f32> = (m, k) -> %A[m + k] pad 0.0_f32 "
                  "op (m: parallel, k: reduction) ins(%A_at[m, k], %B[k]) outs(%C[m])"))
      << text;
}

TEST(Builder, WhatIsPlainStays) {
  const std::string text = canonical(
      "kernel @f(%A: tensor<N x M x f32>) -> (%C: tensor<M x N x f32>) level @ { "
      "op (m: parallel, n: parallel) ins(%A[n, m]) outs(%C[m, n]) { (a, c) -> a } }");
  EXPECT_FALSE(has(text, "view")) << text;
}

// The same index twice, a constant, and an output that is written at other places.
TEST(Builder, OtherMapsGetViews) {
  const std::string text = canonical(
      "kernel @f(%A: tensor<M x M x f32>, %B: tensor<4 x M x f32>) -> (%C: tensor<(M * 2) x f32>) "
      "level @ { op (m: parallel) ins(%A[m, m], %B[3, m]) outs(%C[m * 2]) "
      "{ (a, b, c) -> add(a, b) } }");
  EXPECT_TRUE(has(text, "view %A_at: tensor<M x f32> = (m) -> %A[m, m]")) << text;
  EXPECT_TRUE(has(text, "view %B_at: tensor<M x f32> = (m) -> %B[3, m]")) << text;
  EXPECT_TRUE(has(text, "view %C_at: tensor<M x f32> = (m) -> %C[m * 2]")) << text;
}

// What is there for its shape goes where the views have it.
TEST(Builder, ShapesGo) {
  const std::string text = canonical(
      "kernel @f(%A: tensor<N x f32>, %B: tensor<K x f32>) -> (%C: tensor<M x f32>) level @ { "
      "op (m: parallel, k: reduction) ins(%A[m + k] pad 1.0_f32, %B[k] shape) outs(%C[m]) "
      "{ (a, b, c) -> add(c, a) } }");
  EXPECT_FALSE(has(text, "shape")) << text;
  EXPECT_TRUE(has(text, "ins(%A_at[m, k])")) << text;
}

TEST(Builder, NamesAreNew) {
  ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f(%A: tensor<N x f32>) -> (%C: tensor<N x f32>) level tiled { "
      "tile t : ts = 0 .. N by 1 parallel { op () ins(%A[t]) outs(%C[t]) { (a, c) -> a } } }");
  Builder builder(kernel);
  EXPECT_EQ(builder.name("x"), "x");
  EXPECT_NE(builder.name("x"), "x");
  EXPECT_NE(builder.name("t"), "t");
  EXPECT_NE(builder.name("ts"), "ts");
  EXPECT_NE(builder.name("N"), "N");
  const unsigned tensor = builder.tensor("A", ir::ScalarType::F32, {}, ir::Role::Local);
  EXPECT_EQ(kernel.tensors[tensor].name, "A1");
  EXPECT_EQ(count(ir::print(kernel), "tensor<N x f32>"), 2U);
}

TEST(Builder, InputsThatArePartOfNothingAreDropped) {
  ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f(%A: tensor<N x f32>, %B: tensor<K x f32>) -> (%C: tensor<N x f32>) level tiled { "
      "op (n: parallel, k: reduction) ins(%A[n], %B[k]) outs(%C[n]) { (a, b, c) -> add(c, b) } }");
  auto op = std::get<ir::StructuredOp>(kernel.body[0].node);
  dropInput(kernel, op, 0);  // %C has as many positions
  ASSERT_EQ(op.inputs.size(), 1U);
  kernel.body = only({op});
  test::expectGood(kernel);
  EXPECT_TRUE(has(ir::print(kernel), "ins(%B[k]) outs(%C[n]) { (b, c) -> add(c, b) }"))
      << ir::print(kernel);
  op.results[0] = ir::makeLiteral(ir::ScalarType::F32, {1.0, 0});
  dropInput(kernel, op, 0);  // only it has k
  EXPECT_EQ(op.inputs.size(), 1U);
}

}  // namespace
}  // namespace einc::transforms
