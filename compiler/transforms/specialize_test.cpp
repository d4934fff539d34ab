// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/specialize.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

using ir::test::goodKernel;

constexpr const char* kKernel = R"(
  kernel @f(s: f32, %A: tensor<M x (N + M) x f32>, n: i32) -> (%C: tensor<M x f32>)
      attr d: 2xi64 attr list: i8[] attr e: f64 level tensors {
    op (m: parallel) ins(%A[m, m * d[1] + n] pad s) outs(%C[m])
        { (a, c) -> select(eq(list[1], 3_i8), cast<f32>(e), add(a, cast<f32>(index(N * d[0])))) }
  })";

ir::Number number(int64_t bits) { return {0.0, static_cast<uint64_t>(bits)}; }

std::string specialized(const char* text, const Fixed& fixed) {
  auto result = specialize(goodKernel(text), fixed);
  if (!result) return result.reason();
  for (const ir::Violation& violation : ir::verify(*result)) ADD_FAILURE() << violation.str();
  return ir::print(*result);
}

TEST(Specialize, Everything) {
  Fixed fixed{{{"M", 8}, {"N", 4}, {"unknown", 1}},
              {{"s", {{0.5, 0}}},
               {"n", {number(0xffffffff)}},
               {"d", {number(2), number(3)}},
               {"list", {number(1), number(3)}},
               {"e", {{2.5, 0}}}}};
  EXPECT_EQ(specialized(kKernel, fixed),
            R"(kernel @f(%A: tensor<8 x 12 x f32>) -> (%C: tensor<8 x f32>)
    level tensors {
  op (m: parallel)
      ins(%A[m, m * 3 - 1] pad 0.5_f32)
      outs(%C[m])
      { (a, c) -> select(eq(3_i8, 3_i8), cast<f32>(2.5_f64), add(a, cast<f32>(index(8)))) }
}
)");
}

// Attributes that stay are found under their new numbers.
TEST(Specialize, SomeAttributes) {
  Fixed fixed{{}, {{"s", {{0.5, 0}}}, {"d", {number(2), number(3)}}}};
  EXPECT_EQ(specialized(kKernel, fixed),
            R"(kernel @f(%A: tensor<M x (N + M) x f32>, n: i32) -> (%C: tensor<M x f32>)
    attr list: i8[]
    attr e: f64
    level tensors {
  op (m: parallel)
      ins(%A[m, m * 3 + n] pad 0.5_f32)
      outs(%C[m])
      { (a, c) -> select(eq(list[1], 3_i8), cast<f32>(e), add(a, cast<f32>(index(N * 2)))) }
}
)");
}

// m ran over C; that A[m * s] becomes A[m] must not make it run over A.
TEST(Specialize, KeepsExtents) {
  const char* text = R"(
    kernel @f(s: i64, %A: tensor<N x f32>) -> (%C: tensor<M x f32>) level tensors {
      op (m: parallel) ins(%A[m * s]) outs(%C[m]) { (a, c) -> add(a, c) }
    })";
  EXPECT_EQ(specialized(text, {{}, {{"s", {number(1)}}}}),
            R"(kernel @f(%A: tensor<N x f32>) -> (%C: tensor<M x f32>)
    level tensors {
  op (m: parallel) ins(%C[m] shape, %A[m]) outs(%C[m]) { (c, a, c1) -> add(a, c1) }
}
)");
  EXPECT_EQ(specialized(text, {{{"M", 4}, {"N", 4}}, {{"s", {number(1)}}}}),
            R"(kernel @f(%A: tensor<4 x f32>) -> (%C: tensor<4 x f32>)
    level tensors {
  op (m: parallel) ins(%A[m]) outs(%C[m]) { (a, c) -> add(a, c) }
}
)");
}

TEST(Specialize, Loops) {
  const char* text = R"(
    kernel @f(%A: tensor<M x f32>, s: f32) -> (%C: tensor<M x f32>) level hardware {
      for m = 0 .. M parallel { let t: f32 = %A[m - M] pad s t = mul(t, s) %C[m] = t }
    })";
  EXPECT_EQ(specialized(text, {{{"M", 3}}, {{"s", {{0.5, 0}}}}}),
            R"(kernel @f(%A: tensor<3 x f32>) -> (%C: tensor<3 x f32>)
    level hardware {
  for m = 0 .. 3 parallel {
    let t: f32 = %A[m - 3] pad 0.5_f32
    t = mul(t, 0.5_f32)
    %C[m] = t
  }
}
)");
}

TEST(Specialize, Refuses) {
  EXPECT_EQ(specialized(kKernel, {{}, {{"list", {number(1)}}}}),
            "'list' is given 1 values, but list[1] is used");
  EXPECT_EQ(specialized(kKernel, {{{"N", INT64_MAX}, {"M", 1}}, {}}),
            "'N + M' leaves the range of 64-bit integers");
  const char* text = R"(
    kernel @f(%A: tensor<M x f32>, %B: tensor<(M - 2) x f32>) -> (%C: tensor<M x f32>) level tensors {
      op (m: parallel) ins(%A[m floordiv M]) outs(%C[m]) { (a, c) -> a }
    })";
  EXPECT_EQ(specialized(text, {{{"M", 0}}, {}}), "a size of 'B', M - 2, is -2");
  EXPECT_EQ(specialized(R"(
    kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level tensors {
      op (m: parallel) ins(%A[m floordiv M]) outs(%C[m]) { (a, c) -> a }
    })",
                        {{{"M", 0}}, {}}),
            "'m floordiv M' divides by zero");
}

}  // namespace
}  // namespace einc::transforms
