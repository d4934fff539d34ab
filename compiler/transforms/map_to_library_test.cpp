// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/map_to_library.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

// The kernel on buffers, mapped; verified.
std::string mapped(const std::string& signature, const std::string& body) {
  ir::Kernel kernel = mapToLibrary(
      ir::test::goodKernel("kernel @f" + signature + " level buffers { " + body + " }"),
      [](unsigned) { return std::vector{ir::LibraryRule{"cblas", {}}}; });
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return ir::print(kernel);
}

// The head of the first call; empty if there is none.
std::string head(const std::string& text) {
  size_t begin = text.find("library ");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

const char* const kProduct =
    "(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>, s: f32) -> (%C: tensor<M x N x f32>)";

TEST(MapToLibrary, WholeCall) {
  EXPECT_EQ(
      mapped(kProduct, R"(
      fused {
        op (m: parallel, n: parallel) outs(%C[m, n]) { (c) -> 0.0_f32 }
        op (m: parallel, n: parallel, k: reduction) ins(%B[k, n], %A[m, k]) outs(%C[m, n])
            { (b, a, c) -> add(mul(mul(s, b), neg(a)), c) }
      })"),
      R"(kernel @f(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>, s: f32) -> (%C: tensor<M x N x f32>)
    level buffers {
  library cblas gemm (m: n, n: m, k: k) alpha neg(s) beta 0.0_f32 of op 1
      op (m: parallel, n: parallel, k: reduction)
          ins(%B[k, n], %A[m, k])
          outs(%C[m, n])
          { (b, a, c) -> add(c, mul(neg(s), mul(b, a))) }
  else {
    fused {
      op (m: parallel, n: parallel) outs(%C[m, n]) { (c) -> 0.0_f32 }
      op (m: parallel, n: parallel, k: reduction)
          ins(%B[k, n], %A[m, k])
          outs(%C[m, n])
          { (b, a, c) -> add(mul(mul(s, b), neg(a)), c) }
    }
  }
}
)");
}

// What was there, scaled; only of sums that one call makes, and only what is all of the result.
TEST(MapToLibrary, Beta) {
  std::string scale = "op (i: parallel, j: parallel) outs(%C[j, i]) { (c) -> mul(c, s) } ";
  std::string product =
      "op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) "
      "{ (a, b, c) -> add(c, mul(a, b)) }";
  EXPECT_EQ(head(mapped(kProduct, scale + product)),
            "library cblas gemm (m: m, n: n, k: k) beta s of op 1");
  std::string zero = "op (i: parallel, j: parallel) outs(%C[j, i]) { (c) -> mul(c, 0.0_f32) } ";
  EXPECT_EQ(head(mapped(kProduct, zero + product)),
            "library cblas gemm (m: m, n: n, k: k) of op 1");
  std::string several =
      "(%A: tensor<M x J x K x f32>, %B: tensor<K x J x N x f32>) -> (%C: tensor<M x N x f32>)";
  std::string text = mapped(several, R"(
      fused {
        op (m: parallel, n: parallel) outs(%C[m, n]) { (c) -> 0.0_f32 }
        op (m: parallel, n: parallel, j: reduction, k: reduction)
            ins(%A[m, j, k], %B[k, j, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }
      })");
  EXPECT_EQ(head(text),
            "library cblas gemm (m: m, n: n, k: k) of op 1");  // for each j, after the zeros
  std::string part = "op (m: parallel) ins(%A[m, 0]) outs(%C[m, 0]) { (a, c) -> mul(c, s) } ";
  std::string ofPart = mapped(kProduct, part + product);
  EXPECT_EQ(head(ofPart), "library cblas scal (m: m) alpha s");
  EXPECT_EQ(ofPart.find("beta"), std::string::npos);
}

// Dimensions that are neighbours in all operands are one; others are loops.
TEST(MapToLibrary, Merges) {
  EXPECT_EQ(head(mapped("(%A: tensor<X x Y x K x L x f64>, %B: tensor<K x L x f64>) -> "
                        "(%C: tensor<X x Y x f64>)",
                        "op (x: parallel, y: parallel, k: reduction, l: reduction) "
                        "ins(%A[x, y, k, l], %B[k, l]) outs(%C[x, y]) "
                        "{ (a, b, c) -> add(c, mul(a, b)) }")),
            "library cblas gemv (m: x y, k: k l)");
  EXPECT_EQ(head(mapped("(%A: tensor<X x Y x K x f64>, %B: tensor<K x f64>) -> "
                        "(%C: tensor<Y x X x f64>)",
                        "op (x: parallel, y: parallel, k: reduction) "
                        "ins(%A[x, y, k], %B[k]) outs(%C[y, x]) "
                        "{ (a, b, c) -> add(c, mul(a, b)) }")),
            "library cblas gemv (m: x, k: k)");
}

// What is done with the result comes behind the call.
TEST(MapToLibrary, Epilogue) {
  std::string text =
      mapped("(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>) -> (%D: tensor<M x N x f32>)", R"(
      local %C: tensor<M x N x f32>
      alloc %C
      fused {
        op (m: parallel, n: parallel) outs(%C[m, n]) { (c) -> 0.0_f32 }
        op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
            { (a, b, c) -> add(c, mul(a, b)) }
        op (m: parallel, n: parallel) ins(%C[m, n]) outs(%D[m, n]) { (c, d) -> exp(c) }
      })");
  EXPECT_EQ(head(text), "library cblas gemm (m: m, n: n, k: k) beta 0.0_f32 of op 1");
  EXPECT_GT(text.find("exp(c)"), text.rfind("else {"));
}

// On tiles, too, if it is one thread that does them.
TEST(MapToLibrary, InLoops) {
  auto inLoop = [](const char* threads) {
    return mapped(kProduct, std::string(R"(
      tile m0 : m0_size = 0 .. M by 64 parallel)") +
                                threads + R"( {
        view %A_m0: tensor<m0_size x K x f32> = (d0, d1) -> %A[d0 + m0, d1]
        view %C_m0: tensor<m0_size x N x f32> = (d0, d1) -> %C[d0 + m0, d1]
        if 0 < K {
          op (m: parallel, n: parallel, k: reduction) ins(%A_m0[m, k], %B[k, n]) outs(%C_m0[m, n])
              { (a, b, c) -> add(c, mul(a, b)) }
        }
      })");
  };
  EXPECT_EQ(head(inLoop("")), "library cblas gemm (m: m, n: n, k: k)");
  EXPECT_EQ(head(inLoop(" on threads")), "");
}

TEST(MapToLibrary, Reasons) {
  auto reason = [](const std::string& signature, const std::string& op) {
    ir::Kernel kernel =
        ir::test::goodKernel("kernel @f" + signature + " level buffers { " + op + " }");
    auto call = libraryCall(kernel, std::get<ir::StructuredOp>(kernel.body[0].node), "cblas");
    return call ? "a call" : call.reason();
  };
  EXPECT_EQ(reason("(%A: tensor<(2 * M + 1) x f32>, %B: tensor<M x f32>) -> (%C: tensor<M x f32>)",
                   "op (m: parallel, k: reduction) ins(%A[m * 2], %B[k]) outs(%C[m]) "
                   "{ (a, b, c) -> add(c, mul(a, b)) }"),
            "iterator 'k' is in B alone: a BLAS neither adds up nor repeats one operand along it; "
            "do that in a "
            "statement of its own, with a local tensor");
  EXPECT_EQ(reason("(%A: tensor<M x f32>) -> (%C: tensor<M x f32>)",
                   "op (m: parallel) ins(%A[m - 1] pad 0.0_f32, %A[m] shape) outs(%C[m]) "
                   "{ (a, b, c) -> a }"),
            "A is read outside its sizes, as padding; take an input that has the padding in it");
  EXPECT_EQ(reason("(%A: tensor<M x f32>) -> (%C: tensor<M x f32>)",
                   "op (m: parallel) ins(%A[m floordiv 2], %A[m] shape) outs(%C[m]) "
                   "{ (a, b, c) -> a }"),
            "the index m floordiv 2 of A does not go on by the same number for each iterator; "
            "take an input that holds what is read");
  EXPECT_EQ(reason("(%A: tensor<M x f32>) -> (%C: tensor<f32>)",
                   "op (m: reduction) ins(%A[m]) outs(%C[]) { (a, c) -> a }"),
            "it keeps one term, and adds up none; add them up with +=");
}

}  // namespace
}  // namespace einc::transforms
