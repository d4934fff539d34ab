// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/name_sizes.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

ir::Kernel named(const char* text) {
  ir::Kernel kernel = nameSizes(ir::test::goodKernel(text));
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return kernel;
}

// One name for all locals of that size; what is known not to be negative has none.
TEST(NameSizes, OfSumsWhoseSignIsNotKnown) {
  const std::string text = ir::print(named(R"(
    kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) attr s: i64 = 1 level tensors {
      local %T: tensor<(M * s - s + 1) x f32>
      local %U: tensor<(M * s - s + 1) x M x f32>
      local %V: tensor<(M + 2) x f32>
      op (t: parallel) outs(%T[t]) { (t) -> 1.0_f32 }
      op (t: parallel, m: parallel) ins(%T[t], %A[m]) outs(%U[t, m]) { (t, a, u) -> mul(t, a) }
      op (v: parallel) outs(%V[v]) { (v) -> 2.0_f32 }
      op (m: parallel) ins(%U[m * s, m], %V[m]) outs(%C[m]) { (u, v, c) -> add(u, v) }
    })"));
  EXPECT_EQ(ir::test::count(text, "bound minus_t_size = min(0, -M * s + s - 1)"), 1u) << text;
  EXPECT_NE(text.find("local %T: tensor<(-minus_t_size) x f32>"), std::string::npos) << text;
  EXPECT_NE(text.find("local %U: tensor<(-minus_t_size) x M x f32>"), std::string::npos) << text;
  EXPECT_NE(text.find("local %V: tensor<(M + 2) x f32>"), std::string::npos) << text;
}

// An iterator has one extent: that of the input.
TEST(NameSizes, NotWhatATensorOfTheContractHas) {
  const std::string text = ir::print(named(R"(
    kernel @f(%A: tensor<(M * s - s + 1) x f32>, %B: tensor<M x f32>) -> (%C: tensor<M x f32>)
        attr s: i64 = 1 level tensors {
      local %T: tensor<(M * s - s + 1) x f32>
      op (t: parallel) ins(%A[t]) outs(%T[t]) { (a, t) -> mul(a, a) }
      op (m: parallel) ins(%T[m * s], %B[m]) outs(%C[m]) { (t, b, c) -> mul(t, b) }
    })"));
  EXPECT_EQ(text.find("bound"), std::string::npos) << text;
}

}  // namespace
}  // namespace einc::transforms
