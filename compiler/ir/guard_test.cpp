// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/guard.h"

#include "compiler/ir/print.h"
#include "compiler/ir/test_text.h"

namespace einc::ir {
namespace {

constexpr const char* kBoth = "%C[m], %D[m]";

// An op of these results, over m and the reduction n.
Kernel kernelOf(const std::string& results, const std::string& outputs = "%C[m]") {
  const bool isOne = outputs != kBoth;
  return test::goodKernel(
      "kernel @f(%A: tensor<M x N x f32>, %l: tensor<M x i32>) -> (%C: tensor<M x f32>" +
      std::string(isOne ? "" : ", %D: tensor<M x f32>") +
      ") level tensors { op (m: parallel, n: reduction) ins(%A[m, n], %l[m]) outs(" + outputs +
      ") { (a, l, c" + (isOne ? "" : ", d") + ") -> " + results + " } }");
}

// "m - n; lt(...)", or "none".
std::string guardText(const std::string& results, const std::string& outputs = "%C[m]") {
  const Kernel kernel = kernelOf(results, outputs);
  const auto guard = guardOf(std::get<StructuredOp>(kernel.body[0].node));
  if (!guard) return "none";
  std::string text;
  for (const affine::Expr& e : guard->notNegative) text += (text.empty() ? "" : "; ") + e.str();
  if (!guard->others.empty()) text += " and " + std::to_string(guard->others.size()) + " more";
  return text;
}

// The op with this guard in place of its own.
std::string with(const std::string& results, const Guard& guard) {
  Kernel kernel = kernelOf(results);
  kernel.body[0].node = withGuard(std::get<StructuredOp>(kernel.body[0].node), guard);
  EXPECT_TRUE(verify(kernel).empty());
  const std::string text = printStatement(kernel, kernel.body[0]);
  const size_t begin = text.find("-> ") + 3;
  return text.substr(begin, text.rfind(" }") - begin);
}

constexpr const char* kBelow = "add(c, select(lt(index(n), index(m + 1)), a, -0.0_f32))";

TEST(Guard, OfTermsThatChangeNothing) {
  EXPECT_EQ(guardText(kBelow), "m - n");
  EXPECT_EQ(guardText("add(select(lt(index(n), index(m)), a, -0.0_f32), c)"), "m - n - 1");
  EXPECT_EQ(guardText("max(c, select(le(index(n), index(m)), a, -inf_f32))"), "m - n");
  EXPECT_EQ(guardText("max(c, select(le(index(n), index(m)), a, neg(inf_f32)))"), "m - n");
  EXPECT_EQ(guardText("sub(c, select(lt(index(n), index(m)), a, 0.0_f32))"), "m - n - 1");
  // 0.0 makes 0.0 of -0.0, and what is taken from a term is no sum.
  EXPECT_EQ(guardText("add(c, select(lt(index(n), index(m)), a, 0.0_f32))"), "none");
  EXPECT_EQ(guardText("max(c, select(lt(index(n), index(m)), a, 0.0_f32))"), "none");
  EXPECT_EQ(guardText("sub(select(lt(index(n), index(m)), a, 0.0_f32), c)"), "none");
  EXPECT_EQ(guardText("add(c, a)"), "none");
}

TEST(Guard, OfWhatTheOutputHolds) {
  EXPECT_EQ(
      guardText("select(and(lt(index(n), index(m)), lt(index(n), index(M * 2))), mul(c, a), c)"),
      "m - n - 1; M * 2 - n - 1");
  EXPECT_EQ(guardText("select(lt(index(n), index(m)), c, a)"), "none");
}

TEST(Guard, OtherConditionsAreKept) {
  EXPECT_EQ(guardText("select(and(lt(index(n), cast<i64>(l)), lt(index(n), index(m))), a, c)"),
            "m - n - 1 and 1 more");
}

TEST(Guard, IsOneForAllResults) {
  const std::string outputs = kBoth, rest = ", max(d, select(lt(index(n), index(m";
  const std::string first = "add(c, select(lt(index(n), index(m)), a, -0.0_f32))";
  EXPECT_EQ(guardText(first + rest + ")), a, -inf_f32))", outputs), "m - n - 1");
  EXPECT_EQ(guardText(first + rest + " + 1)), a, -inf_f32))", outputs), "none");
  EXPECT_EQ(guardText(first + ", max(d, a)", outputs), "none");
}

TEST(Guard, IsReplaced) {
  EXPECT_EQ(with(kBelow, {}), "add(c, a)");
  EXPECT_EQ(with("select(lt(index(n), index(m)), mul(c, a), c)", {}), "mul(c, a)");
  const affine::Expr m = affine::Expr::iterator("m"), n = affine::Expr::iterator("n");
  EXPECT_EQ(
      with(kBelow, {{n - m, m}, {}}),
      "add(c, select(and(lt(index(m), index(n + 1)), lt(index(0), index(m + 1))), a, -0.0_f32))");
}

}  // namespace
}  // namespace einc::ir
