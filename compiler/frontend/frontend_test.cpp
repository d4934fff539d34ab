// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/frontend.h"

#include <gtest/gtest.h>

#include "compiler/frontend/einsum.h"
#include "compiler/frontend/functions.h"
#include "compiler/frontend/test_build.h"
#include "compiler/support/text_writer.h"

namespace einc::frontend {
namespace {

// The statements of a def on f32 matrices and vectors.
std::string withBody(const std::string& body) {
  return "def f(A: f32(M, K), B: f32(K, N), x: f32(M), i: i32(M), alpha: f32) -> (C: f32(M, N), y: "
         "f32(M)) {\n" +
         body + "\n}";
}

// What is wrong with the statement, other outputs aside.
std::string errorsOf(const std::string& body) {
  std::string all = build(withBody(body)).errors, errors;
  size_t at = 0;
  while (at < all.size()) {
    size_t end = all.find('\n', at);
    std::string line = all.substr(at, end - at + 1);
    if (line.find("is never") == std::string::npos) errors += line;
    at = end + 1;
  }
  return errors;
}

TEST(FrontendTest, EveryReductionFormAccumulates) {
  const std::string expected = "(a, y) -> add(y, a) }\n";
  for (const char* form :
       {"y(m) = std_addf<k>(A(m, k));", "y(m) = std_addf<k>(y(m), A(m, k));",
        "y(m) = AddFOp<k>(A(m, k));", "y(m) = add<k>(A(m, k));", "y(m) += A(m, k);"}) {
    Built built = build("def f(A: f32(M, K)) -> (y: f32(M)) { " + std::string(form) + " }");
    EXPECT_EQ(built.errors, "") << form;
    EXPECT_TRUE(built.ops.ends_with(expected)) << form << "\n" << built.ops;
  }
}

TEST(FrontendTest, CombinersAndTheirNeutralElements) {
  const std::pair<const char*, const char*> forms[] = {
      {"+=!", "0.0_f32"}, {"*=!", "1.0_f32"}, {"max=!", "-inf_f32"}, {"min=!", "inf_f32"}};
  for (const auto& [assign, neutral] : forms) {
    Built built =
        build("def f(A: f32(M, K)) -> (y: f32(M)) { y(m) " + std::string(assign) + " A(m, k); }");
    EXPECT_EQ(built.ops.find(std::string("(y) -> ") + neutral), built.ops.find("(y) -> "))
        << built.ops;
    EXPECT_NE(built.ops.find(neutral), std::string::npos) << built.ops;
  }
  EXPECT_EQ(errorsOf("y(m) -=! A(m, k);"),
            "2:6 error: '-=!' has no neutral element to begin with\n");
}

// The errors of a def behind a header, or its function.
std::string libraryCallOf(const std::string& header, const std::string& attributes = "") {
  Built built =
      build(header + " def f(x: f32(M)) -> (y: f32(M)) " + attributes + " { y(m) = x(m); }");
  if (!built.module) return built.errors;
  return built.module->kernels.front().libraryCall.value_or("none");
}

TEST(FrontendTest, LibraryCalls) {
  EXPECT_EQ(libraryCallOf(""), "none");
  EXPECT_EQ(libraryCallOf("library_call<>"), "");
  EXPECT_EQ(libraryCallOf("library_call<g>:"), "g");
  EXPECT_EQ(libraryCallOf("ods_def<X> library_call<g> implements_interface<I> :"), "g");
  EXPECT_EQ(libraryCallOf("library_call<g>", "attr(s: i64)"), "g");
  EXPECT_EQ(libraryCallOf("library_call<> library_call<g>"),
            "1:16 error: 'library_call' stands twice before one def\n");
  EXPECT_EQ(libraryCallOf("ods_def<X> ods_def<Y>"),
            "1:12 error: 'ods_def' stands twice before one def\n");
  EXPECT_EQ(libraryCallOf("library_call<g"), "1:16 error: expected '>', found 'def'\n");
  EXPECT_EQ(libraryCallOf("library_call<3>"),
            "1:14 error: expected the name of a function, or '>', found '3'\n");
  EXPECT_EQ(libraryCallOf("library_call<>", "attr(s: 2xi64)"),
            "1:1 error: a name that is made of the operands' types says nothing of attribute 's'; "
            "give one, such as library_call<my_f>\n");
  EXPECT_EQ(build("library_call<g> combiner c(a, b) = a + b;").errors,
            "1:26 error: expected 'def' after the header, found 'c'\n1:42 error: expected 'def' "
            "after the header, found the end of the file\n");
}

TEST(FrontendTest, IteratorsStandInTheOrderOfTheText) {
  Built built = build(
      "def f(A: f32(M, K, L), B: f32(N, L)) -> (C: f32(N, M)) { C(n, m) = add<l, k>(mul(A(m, k, "
      "l), B(n, l))); }");
  EXPECT_EQ(built.module->kernels[0].body.size(), 1u);
  const auto& op = std::get<ir::StructuredOp>(built.module->kernels[0].body[0].node);
  EXPECT_EQ(joined(op.iterators, " ", [](const ir::Iterator& i) { return i.name; }), "n m l k");
}

TEST(FrontendTest, OperandsArePromotedBeforeTheProductUnlessACastSaysOtherwise) {
  Built built = build(
      "def f(A: i8(M), B: i8(M)) -> (C: i32(M)) { C(m) = A(m) * B(m) + cast<i32>(A(m) * B(m)); }");
  EXPECT_NE(built.ops.find("add(mul(cast<i32>(a), cast<i32>(b)), cast<i32>(mul(a, b)))"),
            std::string::npos)
      << built.ops;
}

TEST(FrontendTest, TypesThatLoseSomethingNeedACast) {
  EXPECT_EQ(
      errorsOf("y(m) = i(m);"),
      "2:8 error: i32 does not become f32 without loss; write cast<f32>(...) if that is meant\n");
  EXPECT_EQ(errorsOf("y(m) = select(x(m) < i(m), 1, 0);"),
            "2:15 error: f32 and i32 have no common type that holds both; cast one of them\n");
  EXPECT_EQ(errorsOf("y(m) = x(m) & x(m);"), "2:13 error: '&' does not work on f32\n");
  EXPECT_EQ(
      errorsOf("y(m) = x(m) < 1;"),
      "2:8 error: bool does not become f32 without loss; write cast<f32>(...) if that is meant\n");
  EXPECT_EQ(
      errorsOf("y(m) = index(m);"),
      "2:8 error: i64 does not become f32 without loss; write cast<f32>(...) if that is meant\n");
}

TEST(FrontendTest, NamesAreExplained) {
  EXPECT_EQ(errorsOf("y(m) = alhpa;"), "2:8 error: unknown name 'alhpa' (did you mean 'alpha'?)\n");
  EXPECT_EQ(errorsOf("y(m) = m;"),
            "2:8 error: unknown name 'm'; the value of an iterator is index(m)\n");
  EXPECT_EQ(errorsOf("y(m) = x;"), "2:8 error: 'x' is a tensor; its elements are x(...)\n");
  EXPECT_EQ(errorsOf("x(m) = 1;"),
            "2:1 error: 'x' is an input; only outputs and local tensors are assigned to\n");
  EXPECT_EQ(errorsOf("alpha(m) = 1;"), "2:1 error: 'alpha' is not a tensor\n");
  EXPECT_EQ(errorsOf("y(m) = sqtr(x(m));"),
            "2:8 error: unknown tensor or function 'sqtr' (did you mean 'sqrt'?)\n");
  EXPECT_EQ(errorsOf("y(m) = max(x(m));"), "2:8 error: 'max' takes 2 arguments, found 1\n");
}

TEST(FrontendTest, IteratorsAreExplained) {
  EXPECT_EQ(errorsOf("C(m, m) = 1;"),
            "2:6 error: iterator 'm' stands twice on the left: elements off the "
            "diagonal would never be written\n");
  EXPECT_EQ(errorsOf("y(m) = add<m>(x(m));"),
            "2:12 error: iterator 'm' is on the left, it cannot be reduced over\n");
  EXPECT_EQ(errorsOf("y(m) = add<k, k>(A(m, k));"),
            "2:15 error: iterator 'k' stands twice in <...>\n");
  EXPECT_EQ(errorsOf("y(m) = add<K>(A(m, k));"),
            "2:12 error: 'K' is not an iterator, but a size or attribute\n");
  EXPECT_EQ(errorsOf("y(m) += add<k>(A(m, k));"),
            "2:9 error: '+=' already reduces; write its right side without 'add<...>'\n");
  EXPECT_EQ(build("def f(x: f32(M)) -> (y: f32(N)) { y(m + q) = x(m); }").errors,
            "1:41 error: iterator 'q' has no extent: no dimension of an operand is indexed by it "
            "alone\n");
  EXPECT_EQ(build("def f(x: f32(M, N)) -> (y: f32(P)) { y(m + n) = x(m, n); }").errors,
            "1:38 error: two iterations may write the same element of 'y', where M = 2, N = 2, "
            "m = 0, n = 1, m' = 1, n' = 0; on the left, indices must tell all iterations "
            "apart\n");
  EXPECT_EQ(errorsOf("C(m, n), y(m) = 1, 2;"),
            "2:10 error: iterator 'n' is on the left, but not in 'y(m)': several iterations would "
            "write one "
            "element; use two statements\n");
}

// What a statement begins with stands before it, over the same elements.
TEST(FrontendTest, WhatIsUpdatedBeginsNeutralAndNothingElse) {
  auto fills = [](const std::string& signature, const std::string& body) {
    Built built = build("def f(X: f32(M, K)" + signature + " { " + body + " }");
    return built.ops.substr(0, built.ops.find('\n'));
  };
  EXPECT_EQ(fills(") -> (Y: f32(M, 2))", "Y(m, 1) +=! X(m, k);"),
            "op (m: parallel) outs(%Y[m, 1]) { (y) -> 0.0_f32 }");
  EXPECT_EQ(fills(") -> (Y: f32(M))", "Y(m) +=! X(m, k);"),
            "op (m: parallel) outs(%Y[m]) { (y) -> 0.0_f32 }");
  EXPECT_EQ(fills(") -> (Y: f32(P))", "Y(m) max=! X(m, k);"),
            "op (m: parallel) ins(%X[m, 0] shape) outs(%Y[m]) { (x, y) -> -inf_f32 }");
  EXPECT_EQ(fills(") -> (Y: f32(P)) attr(a: i64)", "Y(m * 2 + a) +=! X(m, k);"),
            "op (m: parallel) ins(%X[m, 0] shape) outs(%Y[m * 2 + a]) { (x, y) -> 0.0_f32 }");
  EXPECT_EQ(fills(") -> (Y: f32())", "Y() +=! X(m, k);"), "op () outs(%Y[]) { (y) -> 0.0_f32 }");
  // The second statement gives Y a size of its own, and the first runs no further for that.
  EXPECT_EQ(fills(") -> (Y: f32(M))", "Y(m) +=! X(m, k); Y(m + 1) += X(m, k);"),
            "op (m: parallel) ins(%X[m, 0] shape) outs(%Y[m]) { (x, y) -> 0.0_f32 }");
}

TEST(FrontendTest, OnlyWhatIsSpelledLikeASizeRunsOverAnInputThatNothingReads) {
  auto errors = [](const std::string& body) {
    return build("def f(I: f32(N), W: i8(K)) -> (O: f32(M)) { " + body + " }").errors;
  };
  EXPECT_EQ(errors("O(m) max=! I(m + k);"), "");
  EXPECT_EQ(errors("O(m) max=! I(m + i);"),
            "1:62 error: iterator 'i' has no extent: no dimension of an operand is indexed by it "
            "alone; spelled 'k', it would run over a dimension of 'W', which no statement reads\n");
}

TEST(FrontendTest, LocalsGetTypesAndSizesFromTheirFirstStatement) {
  Built built = build(withBody("T(n, m) = A(m, k) * B(k, n) else 0;\n").c_str());
  EXPECT_NE(built.errors, "");
  built = build(withBody("T(n, m) +=! A(m, k) * B(k, n);\nC(m, n) = T(n, m); y(m) = x(m);"));
  ASSERT_TRUE(built.module) << built.errors;
  const ir::Tensor& local = built.module->kernels[0].tensors.back();
  EXPECT_EQ(local.shape[0].str() + " " + local.shape[1].str(), "N M");
  EXPECT_EQ(local.type, ir::ScalarType::F32);
  EXPECT_EQ(errorsOf("T(m) += x(m);"),
            "2:1 error: 'T' is accumulated into before it has a value; begin with '+=!' (or "
            "'max=!', ...), "
            "which sets it to the neutral element\n");
  EXPECT_EQ(errorsOf("T(m) = 1; y(m) = T(m) * x(m);"),
            "2:1 error: the type of 'T' does not follow from its value; declare it: local T: "
            "f32(...);\n");
  EXPECT_EQ(errorsOf("local T: f32(M); y(m) = T(m);"),
            "2:25 error: 'T' is read before it is written\n");
}

TEST(FrontendTest, ReductionsAreTriedInEitherOrder) {
  auto warned = [](const std::string& body) {
    std::string text =
        "def f(A: f32(M, K), s: f32) -> (y: f32(M), p: i64(M)) attr(t: f32) { " + body + " }";
    return build(text).errors.find("the order of the terms counts") != std::string::npos;
  };
  const std::string rest = " p(m) = index(m) + 0 * cast<i64>(s + t);";
  for (const char* body :
       {"y(m) += A(m, k) * s;", "y(m) -= A(m, k);", "y(m) = mul<k>(A(m, k), y(m));",
        "y(m) = sub<k>(y(m), A(m, k));", "y(m) max= A(m, k);", "y(m) /= A(m, k) + 1;",
        "y(m) = select<k>(index(k) == index(m), A(m, k), y(m));", "y(m) += 2 * t;"})
    EXPECT_FALSE(warned(body + rest)) << body;
  for (const char* body :
       {"y(m) = add<k>(mul(y(m), 0.5), A(m, k));", "y(m) = sub<k>(A(m, k), y(m));",
        "y(m) rem= A(m, k);", "y(m) = add<k>(mul(y(m), s), A(m, k));",
        "y(m) = select<k>(A(m, k) < 9, A(m, k), y(m));"})
    EXPECT_TRUE(warned(body + rest)) << body;
  EXPECT_FALSE(warned("y(m), p(m) = max<k>(A(m, k)), select<k>(A(m, k) > y(m), index(k), p(m));"));
  EXPECT_TRUE(warned("y(m), p(m) = add<k>(A(m, k)), select<k>(A(m, k) < 9, index(k), p(m));"));
}

TEST(FrontendTest, OnlyWhatIsCertainlyOutsideIsRefused) {
  auto errors = [](const std::string& text) { return build("def f(" + text).errors; };
  EXPECT_EQ(errors("x: f32(H)) -> (y: f32(N)) attr(s: i64) { y(n) = x(n - s); }"), "");
  EXPECT_EQ(errors("x: f32(4)) -> (y: f32(9)) { y(n) = x(n * 3 / 8); }"), "");
  EXPECT_EQ(errors("x: f32(2)) -> (y: f32(9)) { y(n) = x(n - n / 2 * 2); }"), "");
  EXPECT_EQ(errors("x: f32(3)) -> (y: f32(9)) { y(n) = x(n * 3 / 8); }"),
            "1:42 error: index '(n * 3) floordiv 8' is outside dimension 0 of 'x', [0, 2], where "
            "n = 8\n");
}

TEST(FrontendTest, LiteralsAreExactOrRefused) {
  EXPECT_EQ(errorsOf("y(m) = 1e999;"), "2:8 error: '1e999' is too large for f32\n");
  EXPECT_EQ(errorsOf("y(m) = 1e-60;"),
            "2:8 error: '1e-60' is too small for f32: it would be zero\n");
  EXPECT_EQ(errorsOf("y(m) = 1e;"), "2:8 error: '1e' is not a number\n");
  EXPECT_EQ(errorsOf("y(m) = 0x;"), "2:8 error: '0x' is not a number\n");
  EXPECT_EQ(
      errorsOf("y(m) = 9223372036854775808;"),
      "2:8 error: '9223372036854775808' is past 2^63 - 1; write it as 9223372036854775808.0\n");
  EXPECT_NE(build("def f() -> (y: f32(4)) { y(m) = 1e-45; }").ops.find("1e-45_f32"),
            std::string::npos);
  EXPECT_NE(build("def f() -> (y: i8(4)) { y(m) = -128; }").ops.find("-128_i8"), std::string::npos);
}

TEST(FrontendTest, DeeplyNestedSpecsAreRefused) {
  for (const char* piece : {"(", "-", "exp("}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += piece;
    EXPECT_NE(errorsOf("y(m) = " + deep).find("nested too deeply"), std::string::npos) << piece;
  }
}

TEST(FrontendTest, EveryPrefixIsAnErrorAndNoCrash) {
  std::string text =
      withBody("T(m) max=! A(m, k * 2 - 1) else -1.0;\ny(m), C(m, n) = add<k>(T(m)), 2.5e1;");
  for (size_t length = 0; length < text.size(); ++length)
    EXPECT_NE(build(text.substr(0, length)).errors, "") << text.substr(0, length);
}

TEST(FrontendTest, TypeParametersNeedATypeOrADefault) {
  const char* text =
      "def f<T, U = i8>(A: T(M), B: U(M)) -> (C: T(M)) { C(m) = A(m) + cast<T>(B(m)); }";
  EXPECT_EQ(
      build(text, {{}, false}).errors,
      "1:7 error: type parameter 'T' has no type; give one with --type T=f32, or a default here\n");
  Built built = build(text, {{{"T", "f64"}}, false});
  EXPECT_EQ(built.module->kernels[0].tensors[0].type, ir::ScalarType::F64);
  EXPECT_EQ(built.module->kernels[0].tensors[1].type, ir::ScalarType::I8);
}

TEST(FunctionsTest, HistoricNames) {
  EXPECT_EQ(findFunction("std_addf")->operands, OperandClass::Float);
  EXPECT_EQ(findFunction("MulIOp")->function, ir::Function::Mul);
  EXPECT_EQ(findFunction("std_divi_unsigned")->operands, OperandClass::Unsigned);
  EXPECT_EQ(findFunction("math_exp")->function, ir::Function::Exp);
  EXPECT_FALSE(findFunction("std_adf"));
  EXPECT_EQ(findCast("std_sexti32")->to, ir::ScalarType::I32);
  EXPECT_EQ(findCast("std_fptoui8")->to, ir::ScalarType::U8);
  EXPECT_FALSE(findCast("std_sexti33"));
}

std::string einsum(const std::string& text) {
  SourceFile source("--einsum", text);
  Diagnostics errors(source);
  auto spec = expandEinsum(errors);
  if (!spec) return std::to_string(errors.all()[0].range.begin) + ": " + errors.all()[0].message;
  return spec->text.substr(0, spec->text.find(" {"));
}

TEST(EinsumTest, ExpandsNumPysNotation) {
  EXPECT_EQ(einsum("mk,kn->mn"), "def einsum<T = f32>(A: T(M, K), B: T(K, N)) -> (O: T(M, N))");
  EXPECT_EQ(einsum("ba"), "def einsum<T = f32>(A: T(B, N_a)) -> (O: T(N_a, B))");
  EXPECT_EQ(einsum("ii->"), "def einsum<T = f32>(A: T(I, I)) -> (O: T())");
  EXPECT_EQ(einsum(" i j , j "), "def einsum<T = f32>(A: T(I, J), B: T(J)) -> (O: T(I))");
  EXPECT_EQ(einsum("mM->Mm"), "def einsum<T = f32>(A: T(N_m, N_M)) -> (O: T(N_M, N_m))");
  EXPECT_EQ(einsum("mk,kn->mz"), "8: index 'z' of the output is in no input");
  EXPECT_EQ(einsum("mk->mm"), "5: index 'm' stands twice in the output");
  EXPECT_EQ(einsum("m-k"), "1: expected an index letter, ',' or '->', found '-'");
  EXPECT_EQ(einsum("...k"),
            "0: '...' needs the arrays' ranks, which are not known here; name every index");
}

}  // namespace
}  // namespace einc::frontend
