// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/lower.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

// The statements that `ops` become, in a kernel with these tensors.
std::string lowered(const std::string& ops) {
  ir::Kernel kernel = lower(ir::test::goodKernel(R"(
    kernel @f(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>, s: f32) ->
        (%C: tensor<M x N x f32>, %D: tensor<M x N x i32>, %S: tensor<f32>)
        level buffers {
      op (m: parallel, n: parallel) outs(%C[m, n], %D[m, n]) { (c, d) -> s, 0_i32 }
      op () outs(%S[]) { (x) -> s }
      )" + ops + "}"));
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  // Without what the kernel begins with.
  size_t first = ops.empty() ? 0 : 2;
  kernel.body.erase(kernel.body.begin(), kernel.body.begin() + static_cast<ptrdiff_t>(first));
  std::string text = ir::print(kernel);
  size_t begin = text.find("{\n") + 2;
  return text.substr(begin, text.size() - begin - 2);
}

TEST(Lower, WithoutReductions) {
  EXPECT_EQ(lowered(""), R"(  for m = 0 .. M parallel {
    for n = 0 .. N parallel {
      let c: f32 = s
      let d: i32 = 0_i32
      %C[m, n] = c
      %D[m, n] = d
    }
  }
  %S[] = s
)");
}

// Reductions go innermost, whatever their place.
TEST(Lower, Reduction) {
  EXPECT_EQ(lowered("op (k: reduction, m: parallel, n: parallel) ins(%A[m, k], %B[k, n]) "
                    "outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }"),
            R"(  for m = 0 .. M parallel {
    for n = 0 .. N parallel {
      let c: f32 = %C[m, n]
      for k = 0 .. K reduction {
        c = add(c, mul(%A[m, k], %B[k, n]))
      }
      %C[m, n] = c
    }
  }
)");
}

// Each result is computed from the values before the update.
TEST(Lower, SeveralOutputs) {
  EXPECT_EQ(
      lowered("op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) "
              "outs(%C[m, n], %D[m, n]) { (a, b, c, d) -> add(c, cast<f32>(d)), cast<i32>(c) }"),
      R"(  for m = 0 .. M parallel {
    for n = 0 .. N parallel {
      let c: f32 = %C[m, n]
      let d: i32 = %D[m, n]
      for k = 0 .. K reduction {
        let new_c: f32 = add(c, cast<f32>(d))
        let new_d: i32 = cast<i32>(c)
        c = new_c
        d = new_d
      }
      %C[m, n] = c
      %D[m, n] = d
    }
  }
)");
}

TEST(Lower, PadsAndIndices) {
  EXPECT_EQ(lowered("op (m: parallel, n: parallel) ins(%A[m - 1, n] pad s) outs(%C[m, n])"
                    " { (a, c) -> add(a, cast<f32>(index(m + n))) }"),
            R"(  for m = 0 .. M parallel {
    for n = 0 .. N parallel {
      %C[m, n] = add(%A[m - 1, n] pad s, cast<f32>(index(m + n)))
    }
  }
)");
}

// Variables of the outermost block are in scope until the kernel's end: later ones get other names.
// So do those that an attribute's name (s) or a loop variable's would hide.
TEST(Lower, VariablesHaveNamesOfTheirOwn) {
  std::string sum =
      "op (m: reduction, c: reduction) ins(%A[m, c]) outs(%S[]) { (a, x) -> add(x, a) }";
  EXPECT_EQ(lowered(sum + sum), R"(  let s1: f32 = %S[]
  for m = 0 .. M reduction {
    for c = 0 .. K reduction {
      s1 = add(s1, %A[m, c])
    }
  }
  %S[] = s1
  let s2: f32 = %S[]
  for m = 0 .. M reduction {
    for c = 0 .. K reduction {
      s2 = add(s2, %A[m, c])
    }
  }
  %S[] = s2
)");
}

}  // namespace
}  // namespace einc::transforms
