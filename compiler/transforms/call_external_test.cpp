// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/call_external.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

const char* const kSignature =
    "(%A: tensor<M x K x f32>, s: f32, %B: tensor<K x N x f32>, t: f32) -> (%C: tensor<M x N x "
    "f32>)";
const char* const kZero = "op (m: parallel, n: parallel) outs(%T[m, n]) { (t0) -> 0.0_f32 } ";
const char* const kProduct =
    "op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%T[m, n]) "
    "{ (a, b, t0) -> add(t0, mul(a, b)) } ";
const char* const kScaled =
    "op (m: parallel, n: parallel) ins(%T[m, n]) outs(%U[m, n]) { (t0, u) -> mul(t0, s) } ";
const char* const kLast =
    "op (m: parallel, n: parallel) ins(%U[m, n]) outs(%C[m, n]) { (u, c) -> max(u, t) } ";

ir::Kernel kernelOf(const std::string& body, const std::string& clauses = "") {
  return ir::test::goodKernel("kernel @f" + std::string(kSignature) + " " + clauses +
                              " level buffers { local %T: tensor<M x N x f32> "
                              "local %U: tensor<M x N x f32> " +
                              body + " }");
}

// The statements after the pass, each by its first word; a call with its head, a region with
// braces.
std::string formOf(const ir::Kernel& kernel, const ExternalFunctions& functions) {
  ir::Kernel after = callExternal(kernel, functions);
  for (const ir::Violation& violation : ir::verify(after)) ADD_FAILURE() << violation.str();
  ir::Kernel again = ir::test::parsedKernel(ir::print(after));
  EXPECT_EQ(ir::print(again), ir::print(after));
  std::string form;
  for (const ir::Stmt& stmt : after.body) {
    std::string text = ir::printStatement(after, stmt);
    if (auto* fused = std::get_if<ir::Fused>(&stmt.node))
      text = "fused " + std::to_string(fused->ops.size());
    else if (!std::holds_alternative<ir::ExternalCall>(stmt.node))
      text = text.substr(0, text.find(' '));
    form += (form.empty() ? "" : ", ") + text;
  }
  return form;
}

TEST(CallExternal, AllOfADef) {
  std::string body =
      std::string("alloc %T alloc %U fused { ") + kZero + kProduct + "} " + kScaled + kLast;
  EXPECT_EQ(formOf(kernelOf(body, "attr d: 2xi64 library_call \"g\""), {}),
            "external g (%A, s, %B, t, %C, d) {");
  EXPECT_EQ(formOf(kernelOf(body, "library_call \"\""), {}),
            "external linalg_f_viewsxsxf32_f32_viewsxsxf32_f32_viewsxsxf32 "
            "(%A, s, %B, t, %C) {");
  ir::Kernel once = callExternal(kernelOf(body, "library_call \"g\""), {});
  EXPECT_EQ(ir::print(callExternal(once, {})), ir::print(once));
}

// Numbers count ops wherever they stand.
TEST(CallExternal, OneOp) {
  std::string body = std::string("alloc %T ") + kZero + kProduct + "alloc %U " + kScaled + kLast;
  ir::Kernel kernel = kernelOf(body);
  EXPECT_EQ(formOf(kernel, {}), "alloc, op, op, alloc, op, op");
  EXPECT_EQ(formOf(kernel, {{2, "g"}, {9, "h"}}),
            "alloc, op, op, alloc, external g (%T, s, %U) {, op");
  EXPECT_EQ(formOf(kernel, {{0, "g"}, {3, "h"}}),
            "alloc, external g (%T) {, op, alloc, op, external h (%U, t, %C) {");
}

// Others of a region stay together, if what they have between them is for them alone.
TEST(CallExternal, OneOpOfARegion) {
  std::string allocs = "alloc %T alloc %U ", all = std::string(kZero) + kProduct + kScaled + kLast;
  ir::Kernel kernel = kernelOf(allocs + "fused { " + all + "}");
  EXPECT_EQ(formOf(kernel, {{3, "g"}}), "alloc, alloc, fused 3, external g (%U, t, %C) {");
  EXPECT_EQ(formOf(kernel, {{2, "g"}}), "alloc, alloc, fused 2, external g (%T, s, %U) {, op");
  EXPECT_EQ(formOf(kernel, {{1, "g"}}), "alloc, alloc, op, external g (%A, %B, %T) {, fused 2");
  std::string both =
      "op (m: parallel, n: parallel) ins(%U[m, n], %T[m, n]) outs(%C[m, n]) { (u, t0, c) -> add(u, "
      "t0) } ";
  EXPECT_EQ(
      formOf(kernelOf(allocs + "fused { " + kZero + kProduct + kScaled + both + "}"), {{3, "g"}}),
      "alloc, alloc, op, op, op, external g (%U, %T, %C) {");
}

std::string refusal(const std::string& op, const std::string& name) {
  ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f(%A: tensor<M x f32>, %B: tensor<N x f32>) -> (%C: tensor<M x f32>) "
      "level buffers { " +
      op + " }");
  auto call = externalCall(kernel, std::get<ir::StructuredOp>(kernel.body[0].node), name);
  // The pass leaves what is refused.
  EXPECT_EQ(call ? "" : "op", call ? "" : formOf(kernel, {{0, name}}));
  return call ? "" : call.reason();
}

TEST(CallExternal, Refusals) {
  std::string plain = "op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> neg(a) }";
  EXPECT_EQ(refusal(plain, "g_1"), "");
  EXPECT_EQ(refusal(plain, "5"), "'5' is no name in C");
  EXPECT_EQ(refusal(plain, ""), "'' is no name in C");
  EXPECT_EQ(
      refusal("op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> cast<f32>(index(m + N)) }", "g"),
      "it computes with the size 'N', which is none of its operands'");
  EXPECT_EQ(refusal("op (m: parallel) ins(%A[M - m - 1]) outs(%C[m]) { (a, c) -> a }", "g"), "");
}

}  // namespace
}  // namespace einc::transforms
