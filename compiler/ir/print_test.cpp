// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The text form, each construct once; all of it is read back.
#include "compiler/ir/print.h"

#include <limits>

#include "compiler/ir/literal.h"
#include "compiler/ir/test_text.h"

namespace einc::ir {
namespace {

using test::goodKernel;

constexpr const char* kDense = R"(
kernel @dense(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>, %bias: tensor<N x f32>) -> (%Y: tensor<M x N x f32>)
    level tensors {
  local %T: tensor<M x N x f32>
  op (m: parallel, n: parallel) outs(%T[m, n]) { (t) -> 0.0_f32 }
  op (m: parallel, n: parallel, k: reduction)
      ins(%A[m, k], %B[k, n])
      outs(%T[m, n])
      { (a, b, t) -> add(t, mul(a, b)) }
  op (m: parallel, n: parallel)
      ins(%T[m, n], %bias[n])
      outs(%Y[m, n])
      { (t, bias, y) -> max(add(t, bias), 0.0_f32) }
}
)";

constexpr const char* kEverything = R"(
kernel @everything(%A: tensor<M x (N + M) x 3 x f32>, alpha: f64, %W: tensor<KH x i8>) -> (%C: tensor<M x f32>, %D: tensor<M x i64>)
    attr strides: 2xi64 = [1, -2]
    attr list: f32[]
    attr mode?: bool = true
    attr limit: bf16 = -inf
    ods "DenseOp"
    implements "LinalgContractionOpInterface"
    implements "Other"
    doc "says \"hi\" */\n\x00 \\ ü"
    level tensors {
  op (m: parallel, kh: reduction)
      ins(%A[m * strides[0] - 1, m, 0] pad cast<f32>(alpha), %A[m, 0, 2], %W[kh] shape)
      outs(%C[m], %D[m])
      { (a, a1, w, c, d) -> select(mode, add(c, a), list[7]), add(d, index((m + kh * 2) floordiv 3)) }
      combine { (a0, a1, b0, b1) -> add(a0, b0), add(a1, b1) } neutral (0.0_f32, 0_i64)
}
)";

constexpr const char* kExternal = R"(
kernel @external(%A: tensor<M x f32>, s: f32) -> (%C: tensor<M x f32>)
    attr d: 2xi64
    library_call ""
    level vector {
  external my_f (%A, s, %C, d) {
    alloc %T: tensor<M x f32>
    op (m: parallel) ins(%A[m * d[1]]) outs(%T[m]) { (a, t) -> mul(a, s) }
    op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> neg(t) }
  }
}
)";

constexpr const char* kScalar = R"(
kernel @scalar() -> (%C: tensor<f64>)
    level tensors {
  op () outs(%C[]) { (c) -> neg(c) }
}
)";

constexpr const char* kLoops = R"(
kernel @loops(%A: tensor<M x K x f16>, %Pad: tensor<M x f16>) -> (%C: tensor<M x f16>)
    level hardware {
  alloc %T: tensor<M x f16>
  for m = 0 .. M parallel {
    %T[m] = 1.0_f16
    let c: f16 = %C[m]
    let pad: f16 = %Pad[m]
    for k = 0 .. (K - 1) reduction {
      c = add(c, %A[m - 1, k] pad 0.5_f16)
      let x: f16 = %T[m]
      pad = x
    }
    %C[m] = c
  }
  alloc %U: tensor<4 x M x f32> over %T
}
)";

TEST(Print, RoundTrip) {
  for (const char* text : {kDense, kEverything, kExternal, kScalar, kLoops}) {
    Kernel kernel = goodKernel(text);
    EXPECT_EQ("\n" + print(kernel), text);
    Module module;
    module.kernels = {kernel, kernel};
    EXPECT_EQ(print(module), "eir 1\n" + std::string(text) + text);
  }
}

TEST(Print, LiteralsAreShortest) {
  EXPECT_EQ(print(ScalarType::F32, {static_cast<double>(0.1f), 0}), "0.1_f32");
  EXPECT_EQ(print(ScalarType::F64, {0.1, 0}), "0.1_f64");
  EXPECT_EQ(print(ScalarType::F16, {0.0999755859375, 0}), "0.1_f16");
  EXPECT_EQ(print(ScalarType::F16, {65504, 0}), "65500.0_f16");
  EXPECT_EQ(print(ScalarType::F32, {std::numeric_limits<float>::denorm_min(), 0}), "1e-45_f32");
  EXPECT_EQ(print(ScalarType::F64, {-0.0, 0}), "-0.0_f64");
  EXPECT_EQ(print(ScalarType::F64, {-std::numeric_limits<double>::infinity(), 0}), "-inf_f64");
  EXPECT_EQ(print(ScalarType::BF16, {std::numeric_limits<double>::quiet_NaN(), 0}), "nan_bf16");
  EXPECT_EQ(print(ScalarType::I8, {0, 0x80}), "-128_i8");
  EXPECT_EQ(print(ScalarType::U64, {0, ~uint64_t{0}}), "18446744073709551615_u64");
  EXPECT_EQ(print(ScalarType::Bool, {0, 1}), "true");
}

TEST(Print, LiteralsReadBack) {
  for (const TypeInfo& type : allTypes()) {
    if (!type.isFloat()) continue;
    for (double value : {1.0, 1.0 / 3, 1e5, 3.0517578125e-05, 5.9604644775390625e-08}) {
      auto number = parseLiteral(std::to_string(value * 1e12), false, type.type);
      if (!number) continue;
      auto back = parseLiteral(literalText(type.type, *number), false, type.type);
      ASSERT_TRUE(back) << type.name << value;
      EXPECT_EQ(back->asFloat, number->asFloat);
    }
  }
}

// Signs, precedence, and the most negative integer.
TEST(Print, IndexExpressionsReadBack) {
  for (const char* index :
       {"-m", "m * M - 3", "(-3) floordiv M", "-(3 floordiv M)", "m floordiv (-2)",
        "(m - 1) mod (M + 1) - 9223372036854775808", "m * (M floordiv 2) * 5",
        "-((m + 1) floordiv 2) * 9223372036854775808", "M * (m mod 4)"}) {
    std::string head =
        "kernel @f(%A: tensor<M x i64>) -> (%C: tensor<M x i64>) level tensors {"
        " op (m: parallel) outs(%C[m]) { (c) -> index(";
    Kernel kernel = goodKernel(head + index + ") } }");
    EXPECT_EQ(print(test::parsedKernel(print(kernel))), print(kernel)) << index;
  }
  affine::Expr three = affine::Expr::constant(3), size = affine::Expr::symbol("M");
  EXPECT_NE((-three).floorDiv(size).str(), (-(three.floorDiv(size))).str());
}

TEST(Print, ArgumentNamesAvoidEveryOtherName) {
  Kernel kernel = goodKernel(R"(
    kernel @f(%M: tensor<m x f32>, %Inf_f32: tensor<m x f32>, %Exp: tensor<m x f32>, s: f32) ->
        (%S: tensor<m x f32>) level tensors {
      op (i: parallel) ins(%M[i], %Inf_f32[i], %Exp[i]) outs(%S[i]) { (a, b, c, d) -> add(a, s) }
    })");
  auto names = argumentNames(kernel, std::get<StructuredOp>(kernel.body[0].node));
  EXPECT_EQ(names, (std::vector<std::string>{"m1", "inf_f321", "exp1", "s1"}));
}

TEST(Print, StatementsOnOneLine) {
  Kernel dense = goodKernel(kDense), loops = goodKernel(kLoops);
  EXPECT_EQ(printStatement(dense, dense.body[1]),
            "op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%T[m, n]) "
            "{ (a, b, t) -> add(t, mul(a, b)) }");
  EXPECT_EQ(printStatement(loops, loops.body[1]), "for m = 0 .. M parallel {");
}

// A report about a broken kernel shows it.
TEST(Print, BrokenKernels) {
  Kernel kernel;
  kernel.name = "broken";
  StructuredOp op;
  op.outputs.push_back({7, {}, nullptr});
  op.results = {nullptr, makeValue(ScalarType::F32, OperandRef{9}),
                makeValue(ScalarType::F32, AttributeRef{4, 0})};
  kernel.body = {{op}, {Alloc{3}}};
  EXPECT_NE(print(kernel).find("outs(%?7[]) { (?7) -> ?, ?9, ?4 }"), std::string::npos)
      << print(kernel);
}

}  // namespace
}  // namespace einc::ir
