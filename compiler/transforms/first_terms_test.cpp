// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/first_terms.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

// What the statements of a vector region become, in front of the last one.
std::string begun(const std::string& body) {
  ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f(%A: tensor<K x 4 x f32>) -> (%C: tensor<4 x f32>, %D: tensor<4 x f32>) level "
      "hardware { "
      "vector (n: 4) { " +
      body + " %D[n] unit n = %A[0, n] unit n } }");
  beginWithFirstTerms(kernel.body);
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  const std::string text = ir::print(kernel);
  const size_t begin = text.find("(n: 4) {\n") + 9;
  return text.substr(begin, text.find("    %D[n]") - begin);
}

TEST(FirstTerms, AreWhatVariablesStartFrom) {
  EXPECT_EQ(
      begun("let c: f32 over (n) = -inf_f32 let a: f32 over (n) = %A[0, n] unit n c = max(c, a) "
            "let b: f32 over (n) = %A[1, n] unit n c = max(b, c) %C[n] unit n = c"),
      R"(    let a: f32 over (n) = %A[0, n] unit n
    let c: f32 over (n) = a
    let b: f32 over (n) = %A[1, n] unit n
    c = max(b, c)
    %C[n] unit n = c
)");
  EXPECT_EQ(
      begun("let c: f32 over (n) = -0.0_f32 c = add(neg(%A[0, n] unit n), c) %C[n] unit n = c"),
      "    let c: f32 over (n) = neg(%A[0, n] unit n)\n    %C[n] unit n = c\n");
}

// Of 0 and -0 comes 0; of what is read before, or added in a loop, more may be left.
TEST(FirstTerms, NothingElse) {
  for (
      const char* body :
      {"    let c: f32 over (n) = 0.0_f32\n    c = add(c, %A[0, n] unit n)\n    %C[n] unit n = c\n",
       "    let c: f32 over (n) = inf_f32\n    c = max(c, %A[0, n] unit n)\n    %C[n] unit n = c\n",
       "    let c: f32 over (n) = -inf_f32\n    c = max(c, add(c, %A[0, n] unit n))\n    %C[n] "
       "unit n = c\n",
       "    let c: f32 over (n) = -inf_f32\n    let b: f32 over (n) = c\n    c = max(c, %A[0, n] "
       "unit n)\n"
       "    %C[n] unit n = add(b, c)\n",
       "    let a: f32 over (n) = -inf_f32\n    let c: f32 over (n) = %A[0, n] unit n\n    c = "
       "max(c, a)\n    %C[n] unit n = c\n",  // another variable becomes it
       "    let c: f32 over (n) = -inf_f32\n    for k = 0 .. K reduction {\n      c = max(c, %A[k, "
       "n] unit n)\n"
       "    }\n    c = max(c, %A[0, n] unit n)\n    %C[n] unit n = c\n"}) {
    EXPECT_EQ(begun(body), body);
  }
}

}  // namespace
}  // namespace einc::transforms
