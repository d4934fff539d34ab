// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/derivatives.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

// Of the op's term, where operand 1 is the centre.
std::optional<Derivatives> of(const std::string& term) {
  const ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f(%X: tensor<N x f32>, %C: tensor<f32>, a: f32) -> (%O: tensor<N x f32>) level "
      "tensors { op (n: parallel) ins(%X[n], %C[]) outs(%O[n]) { (x, c, o) -> " +
      term + " } }");
  const auto& op = std::get<ir::StructuredOp>(kernel.body[0].node);
  return derivativesOf(op.results[0], [](const ir::ValueRef& operand) {
    const bool isCentre = std::get<ir::OperandRef>(operand->node).operand == 1;
    return std::optional(isCentre ? Derivatives{ir::makeLiteral(operand->type, ir::Number{1.0, 0})}
                                  : Derivatives());
  });
}

size_t countOf(const std::string& term) { return of(term)->size(); }

double last(const std::string& term) {
  return std::get<ir::Literal>(of(term)->back()->node).number.asFloat;
}

TEST(Derivatives, AsManyAsThePowerHas) {
  EXPECT_EQ(countOf("x"), 0u);
  EXPECT_EQ(countOf("sub(x, c)"), 1u);
  EXPECT_EQ(countOf("square(sub(x, c))"), 2u);
  EXPECT_EQ(countOf("mul(sub(x, c), square(sub(c, x)))"), 3u);
  EXPECT_EQ(countOf("square(square(sub(x, c)))"), 4u);
  EXPECT_EQ(countOf("select(lt(index(n), 3_i64), square(sub(x, c)), 0.0_f32)"), 2u);
}

TEST(Derivatives, TheLastIsANumber) {
  EXPECT_EQ(last("sub(x, c)"), -1);
  EXPECT_EQ(last("square(sub(x, c))"), 2);
  EXPECT_EQ(last("mul(sub(x, c), sub(x, c))"), 2);
  EXPECT_EQ(last("mul(sub(x, c), square(sub(c, x)))"), -6);
  EXPECT_EQ(last("square(square(sub(x, c)))"), 24);
}

TEST(Derivatives, NoneOfOthers) {
  for (const char* term : {"exp(c)", "div(x, c)", "select(lt(x, c), x, c)", "max(x, c)",
                           "cast<f32>(cast<i32>(c))", "mul(c, square(square(sub(x, c))))"})
    EXPECT_FALSE(of(term)) << term;
}

}  // namespace
}  // namespace einc::transforms
