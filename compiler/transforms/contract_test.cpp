// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/contract.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::count;
using test::has;

// What %C becomes in a region of vectors, of variables a, b and c.
std::string contracted(const std::string& value, const std::string& type = "f32") {
  const ir::Kernel kernel = contractProducts(ir::test::goodKernel(
      "kernel @f(%A: tensor<8 x " + type + ">, %B: tensor<8 x " + type + ">) -> (%C: tensor<8 x " +
      type + ">) level vector { vector (n: 8) { let a: " + type +
      " over (n) = %A[n] unit n let b: " + type + " over (n) = %B[n] unit n let c: " + type +
      " over (n) = %C[n] unit n %C[n] unit n = " + value + " } }"));
  test::expectGood(kernel);
  const std::string text = ir::print(kernel), begin = "%C[n] unit n = ";
  const size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find('\n', from) - from);
}

TEST(Contract, ProductsThatAreAdded) {
  EXPECT_EQ(contracted("add(c, mul(a, b))"), "fma(a, b, c)");
  EXPECT_EQ(contracted("add(mul(a, b), c)"), "fma(a, b, c)");
  EXPECT_EQ(contracted("add(c, mul(a, b))", "f64"), "fma(a, b, c)");
  EXPECT_EQ(contracted("add(c, square(a))"), "fma(a, a, c)");
}

TEST(Contract, ProductsThatAreSubtracted) {
  EXPECT_EQ(contracted("sub(c, mul(a, b))"), "fma(neg(a), b, c)");
  EXPECT_EQ(contracted("sub(c, square(a))"), "fma(neg(a), a, c)");
  EXPECT_EQ(contracted("sub(mul(a, b), c)"), "sub(mul(a, b), c)");  // from what: no product
}

// Of two products the second; the first keeps its own rounding.
TEST(Contract, OneOfTwoProducts) {
  EXPECT_EQ(contracted("add(mul(a, b), mul(a, c))"), "fma(a, c, mul(a, b))");
  EXPECT_EQ(contracted("sub(mul(a, b), mul(a, c))"), "fma(neg(a), c, mul(a, b))");
}

TEST(Contract, ProductsInsideOfOthers) {
  EXPECT_EQ(contracted("add(c, mul(a, add(c, mul(a, b))))"), "fma(a, fma(a, b, c), c)");
  EXPECT_EQ(contracted("sqrt(add(c, mul(a, b)))"), "sqrt(fma(a, b, c))");
}

TEST(Contract, NoOtherTypes) {
  EXPECT_EQ(contracted("add(c, mul(a, b))", "i32"), "add(c, mul(a, b))");
  EXPECT_EQ(contracted("add(c, mul(a, b))", "f16"), "add(c, mul(a, b))");
  EXPECT_EQ(contracted("add(c, mul(a, b))", "bf16"), "add(c, mul(a, b))");
}

TEST(Contract, NothingElse) {
  EXPECT_EQ(contracted("add(c, add(a, b))"), "add(c, add(a, b))");
  EXPECT_EQ(contracted("mul(c, add(a, b))"), "mul(c, add(a, b))");
  EXPECT_EQ(contracted("add(c, neg(mul(a, b)))"), "add(c, neg(mul(a, b)))");
}

// Of integers always; those that round, where products may be contracted, too.
TEST(Contract, InstructionsAddToTheSum) {
  auto sum = [](const std::string& type, const std::string& value, auto contract) {
    const std::string name = type == "i32" ? "vpdpbusd" : "vdpbf16ps";
    const ir::Kernel kernel = contract(ir::test::goodKernel(
        "kernel @f(%A: tensor<M x 8 x i32>) -> (%C: tensor<M x 8 x " + type +
        ">) level vector { for m = 0 .. M parallel { vector (n: 8) { %C[m, n] = add(%C[m, n], " +
        name + "(" + value + "_" + type + ", %A[m, n], %A[m, 0])) } } }"));
    test::expectGood(kernel);
    return has(ir::print(kernel), "%C[m, n] = " + name + "(%C[m, n], %A[m, n], %A[m, 0])");
  };
  EXPECT_TRUE(sum("i32", "0", contractProducts));
  EXPECT_TRUE(sum("i32", "0", contractInstructions));
  EXPECT_FALSE(sum("i32", "1", contractProducts));
  EXPECT_TRUE(sum("f32", "0.0", contractProducts));
  EXPECT_FALSE(sum("f32", "0.0", contractInstructions));
}

// What is subtracted from the products is taken from the sum before.
TEST(Contract, InstructionsAddToTheSumWithoutWhatIsSubtracted) {
  const ir::Kernel kernel = contractInstructions(ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x 8 x i32>, %B: tensor<M x 8 x i32>) -> (%C: tensor<M x 8 x i32>)
        level vector {
      for m = 0 .. M parallel {
        vector (n: 8) {
          %C[m, n] = add(%C[m, n], sub(sub(vpdpbusd(0_i32, %A[m, n], %B[m, n]), %A[m, 0]), %B[m, 0]))
        }
      }
    })"));
  test::expectGood(kernel);
  const std::string text = ir::print(kernel);
  EXPECT_TRUE(has(text, "vpdpbusd(sub(sub(%C[m, n], %B[m, 0]), %A[m, 0]), %A[m, n], %B[m, n])"))
      << text;
}

// Loops inside a region are of vectors, too; what is outside of one stays, wherever it stands.
TEST(Contract, InRegionsAlone) {
  const ir::Kernel kernel = contractProducts(ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x 8 x f32>) -> (%C: tensor<M x 8 x f32>, %D: tensor<M x f32>)
        level vector {
      for m = 0 .. M parallel {
        %D[m] = add(%D[m], mul(%A[m, 0], %A[m, 1]))
        vector (n: 8) {
          let c: f32 over (n) = %C[m, n]
          for k = 0 .. 8 reduction { c = add(c, mul(%A[m, k], %A[m, n])) }
          %C[m, n] = c
        }
      }
    })"));
  test::expectGood(kernel);
  const std::string text = ir::print(kernel);
  EXPECT_TRUE(has(text, "%D[m] = add(%D[m], mul(%A[m, 0], %A[m, 1]))")) << text;
  EXPECT_TRUE(has(text, "c = fma(%A[m, k], %A[m, n], c)")) << text;
  EXPECT_EQ(count(text, "fma("), 1U) << text;
}

}  // namespace
}  // namespace einc::transforms
