// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/rewrite.h"

#include "compiler/transforms/builder.h"
#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::count;
using test::has;

affine::Expr same(const affine::Expr& e) { return e; }
ir::ValueRef nothing(const ir::ValueRef&) { return nullptr; }

// With N floordiv 2 instead of N, wherever an index expression is rewritten.
affine::Expr half(const affine::Expr& e) {
  return e.substitute([](const affine::Atom& atom) -> std::optional<affine::Expr> {
    if (atom.name != "N") return std::nullopt;
    return size("N").floorDiv(constant(2));
  });
}

std::string halved(const std::string& text) {
  ir::Kernel kernel = ir::test::goodKernel(text);
  rewriteBlock(kernel.body, half, nothing);
  return ir::print(kernel);
}

TEST(Rewrite, IndicesOfOps) {
  const std::string text = halved(R"(
    kernel @f(%A: tensor<N x f32>, %B: tensor<N x f32>) -> (%C: tensor<N x f32>) level tiled {
      op (n: parallel) ins(%A[n + N], %B[n]) outs(%C[n])
          { (a, b, c) -> add(a, cast<f32>(index(n * 2 + N))) }
    })");
  EXPECT_TRUE(has(text, "%A[n + N floordiv 2]")) << text;
  EXPECT_TRUE(has(text, "index(n * 2 + N floordiv 2)")) << text;
  EXPECT_TRUE(has(text, "%A: tensor<N x f32>")) << text;  // shapes are no part of the block
}

TEST(Rewrite, IndicesOfEachStatement) {
  const std::string text = halved(R"(
    kernel @f(%A: tensor<N x f32>) -> (%C: tensor<N x f32>) level vector {
      bound b = min(N, 8)
      view %V: tensor<b x f32> = (i) -> %A[i + N]
      tile t : s = 0 .. N by N parallel on threads from N inside N { %C[t] = 0.0_f32 }
      for n = 0 .. N parallel {
        if n < N and N == 4 { %C[n] = %A[N] pad 0.0_f32 } else { prefetch %A[N + 1] }
      }
      vector (l: 8) {
        let x: f32 over (l) = %A[l + N]
        for k = 0 .. N reduction { x = add(x, %V[N]) }
        %C[l + N] = x
      }
    })");
  for (const char* line :
       {"bound b = min(N floordiv 2, 8)", "-> %A[i + N floordiv 2]",
        "tile t : s = 0 .. (N floordiv 2) by (N floordiv 2) parallel on threads "
        "from (N floordiv 2) inside (N floordiv 2)",
        "for n = 0 .. (N floordiv 2) parallel", "if (n) < (N floordiv 2) and (N floordiv 2) == 4",
        "%C[n] = %A[N floordiv 2] pad 0.0_f32", "prefetch %A[N floordiv 2 + 1]",
        "= %A[l + N floordiv 2]", "for k = 0 .. (N floordiv 2) reduction",
        "add(x, %V[N floordiv 2])", "%C[l + N floordiv 2] = x"})
    EXPECT_TRUE(has(text, line)) << line << "\n" << text;
}

// A node is seen with its children rewritten: each 1 becomes 2, then each sum of two 2s becomes 4.
TEST(Rewrite, ValuesFromTheInsideOut) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<N x i32>) -> (%C: tensor<N x i32>) level hardware {
      for n = 0 .. N parallel {
        let x: i32 = add(1_i32, add(1_i32, 1_i32))
        x = mul(x, 1_i32)
        %C[n] = add(%A[n] pad 1_i32, x)
      }
    })");
  auto literal = [](int64_t value) {
    return ir::makeLiteral(ir::ScalarType::I32, {0.0, static_cast<uint64_t>(value)});
  };
  rewriteBlock(kernel.body, same, [&](const ir::ValueRef& value) -> ir::ValueRef {
    if (ir::equal(value, literal(1))) return literal(2);
    auto* call = std::get_if<ir::Call>(&value->node);
    bool isFour = call && call->function == ir::Function::Add &&
                  ir::equal(call->args[0], literal(2)) && ir::equal(call->args[1], literal(2));
    return isFour ? literal(4) : nullptr;
  });
  test::expectGood(kernel);
  const std::string text = ir::print(kernel);
  EXPECT_TRUE(has(text, "let x: i32 = add(2_i32, 4_i32)")) << text;
  EXPECT_TRUE(has(text, "x = mul(x, 2_i32)")) << text;
  EXPECT_TRUE(has(text, "%C[n] = add(%A[n] pad 2_i32, x)")) << text;
}

TEST(Rewrite, ValuesOfOpsAndTheirPads) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<N x i32>) -> (%C: tensor<N x i32>) level tiled {
      view %V: tensor<N x i32> = (i) -> %A[i + 1] pad 1_i32
      op (n: parallel) ins(%V[n], %A[n - 1] pad 1_i32) outs(%C[n]) { (v, a, c) -> add(a, 1_i32) }
    })");
  rewriteBlock(kernel.body, same, [](const ir::ValueRef& value) -> ir::ValueRef {
    if (!std::holds_alternative<ir::Literal>(value->node)) return nullptr;
    return ir::makeLiteral(value->type, {0.0, 7});
  });
  const std::string text = ir::print(kernel);
  EXPECT_EQ(count(text, "pad 7_i32"), 2U) << text;
  EXPECT_TRUE(has(text, "add(a, 7_i32)")) << text;
}

TEST(Rewrite, AllOpsInTheirOrder) {
  ir::Kernel kernel = ir::test::goodKernel(R"(
    kernel @f(%A: tensor<N x f32>) -> (%C: tensor<N x f32>, %D: tensor<N x f32>) level tiled {
      op (a: parallel) ins(%A[a]) outs(%C[a]) { (x, c) -> x }
      if N == 4 {
        tile t : s = 0 .. N by 1 parallel { op () ins(%A[t]) outs(%D[t]) { (x, d) -> x } }
      } else { op (b: parallel) ins(%A[b]) outs(%D[b]) { (x, d) -> x } }
      op (c: parallel) ins(%A[c]) outs(%D[c]) { (x, d) -> x }
    })");
  std::string seen;
  rewriteOps(kernel.body, [&](ir::StructuredOp& op) {
    seen += op.iterators.empty() ? "none " : op.iterators[0].name + " ";
    op.results[0] = ir::makeLiteral(ir::ScalarType::F32, {2.0, 0});
  });
  EXPECT_EQ(seen, "a none b c ");
  EXPECT_EQ(count(ir::print(kernel), "-> 2.0_f32 }"), 4U) << ir::print(kernel);
}

}  // namespace
}  // namespace einc::transforms
