// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the parser refuses, and how it says so.
#include "compiler/ir/parse.h"

#include "compiler/ir/test_text.h"

namespace einc::ir {
namespace {

using test::errorIn;
using test::parsedKernel;

constexpr const char* kHead =
    "eir 1\nkernel @f(%A: tensor<M x K x f32>, s: f32) -> (%C: tensor<M x f32>)"
    " attr strides: 2xi64 level ";

std::string inOp(const std::string& payload) {
  return errorIn(
      kHead + ("tensors { op (m: parallel, k: reduction) ins(%A[m, k]) outs(%C[m]) { (a, c) -> " +
               payload + " } }"));
}
std::string inBody(const std::string& statements) {
  return errorIn(kHead + ("hardware { " + statements + " }"));
}

TEST(Parse, Version) {
  EXPECT_EQ(errorIn(""), "expected 'eir 1', found the end of the file");
  EXPECT_EQ(errorIn("def f() {}"), "expected 'eir 1', found 'def'");
  EXPECT_EQ(errorIn("eir 2\nwhat ever"),
            "this is version 2 of the IR text; this einc reads version 1");
  EXPECT_EQ(errorIn("eir 0"), "this is version 0 of the IR text; this einc reads version 1");
  EXPECT_EQ(errorIn("eir one"), "expected an integer, found 'one'");
  EXPECT_TRUE(test::parsed("// nothing\n").kernels.empty());
}

TEST(Parse, Signature) {
  EXPECT_EQ(errorIn("eir 1 kernal"), "expected 'kernel', found 'kernal'");
  EXPECT_EQ(errorIn("eir 1 kernel f"), "expected '@' before the kernel's name, found 'f'");
  EXPECT_EQ(errorIn("eir 1 kernel @f(%A: tensor<M f32>"), "expected 'x', found 'f32'");
  EXPECT_EQ(errorIn("eir 1 kernel @f(%A: tensor<M x f31>"),
            "expected a type (bool, i4, i8, i16, i32, i64, u4, u8, u16, u32, u64, f8e4m3, f8e5m2, "
            "f16, bf16, f32, f64), "
            "found 'f31' (did you mean 'f32'?)");
  EXPECT_EQ(errorIn("eir 1 kernel @f() -> () level tensor {"),
            "expected tensors or buffers or tiled or vector or hardware, found 'tensor' (did you "
            "mean 'tensors'?)");
  EXPECT_EQ(errorIn("eir 1 kernel @f() -> () attr s: 2xf31"),
            "expected a type, such as 2xi64, found '2xf31'");
  EXPECT_EQ(errorIn("eir 1 kernel @f() -> () attr s: i8 = 128"), "'128' does not fit i8");
  EXPECT_EQ(errorIn("eir 1 kernel @f() -> () doc \"abc\n\""),
            "expected a string, found a string that does not end");
  EXPECT_EQ(errorIn("eir 1 kernel @f() -> () \x01"),
            "expected level or attr or ods or implements or doc or library_call or strides, found "
            "a character "
            "that has no meaning");
}

TEST(Parse, Names) {
  EXPECT_EQ(inOp("add(aa, c)"), "unknown name 'aa' (did you mean 'a'?)");
  EXPECT_EQ(inOp("ad(a, c)"), "unknown function 'ad' (did you mean 'add'?)");
  EXPECT_EQ(inOp("cast<f32>(index(mm))"), "unknown name 'mm' (did you mean 'm'?)");
  EXPECT_EQ(inOp("cast<f32>(strides)"),
            "expected '[', as 'strides' has several elements, found ')'");
  EXPECT_EQ(inBody("%D[0] = 1.0_f32"), "unknown tensor 'D'");
  EXPECT_EQ(inBody("alloc C"), "expected '%', found 'C'");
  EXPECT_EQ(inBody("forr m = 0 .. M parallel {}"),
            "expected a statement or '}', found 'forr' (did you mean 'for'?)");
  EXPECT_EQ(inBody("for m = 0 .. M parallel { let tmp: f32 = s } %C[0] = tmp"),
            "unknown name 'tmp'");
}

TEST(Parse, Values) {
  EXPECT_EQ(inOp("1.0"), "'1.0' needs its type, as in 1_i32 and 0.5_f32");
  EXPECT_EQ(inOp("1_f3"), "'1_f3' needs its type, as in 1_i32 and 0.5_f32");
  EXPECT_EQ(inOp("-1_u8"), "'-1' does not fit u8");
  EXPECT_EQ(inOp("1e999_f64"), "'1e999' is too large for f64");
  EXPECT_EQ(inOp("-true"), "expected a number, found 'true'");
  EXPECT_EQ(inOp("add(a)"), "'add' takes 2 arguments, found 1");
  EXPECT_EQ(inOp("a, "), "expected a value, found '}'");
  EXPECT_EQ(inBody("let t: f64 = s"), "the value's type is f32");
  EXPECT_EQ(inBody("for m = 1 .. M parallel {}"), "a loop begins at 0");
  EXPECT_EQ(
      errorIn(kHead + std::string("tensors { op (m: parallel) outs(%C[m]) { (a, b) -> s } }")),
      "expected 1 names, one for each operand, found 2");
  EXPECT_EQ(errorIn(kHead +
                    std::string(
                        "tensors { op (m: parallel) ins(%A[m, 0]) outs(%C[m]) { (a, a) -> s } }")),
            "two operands are called 'a'");
}

TEST(Parse, Indices) {
  EXPECT_EQ(inBody("%C[9223372036854775808] = s"), "'9223372036854775808' is past 2^63 - 1");
  EXPECT_EQ(inBody("%C[9223372036854775807 * 2] = s"),
            "this index leaves the range of 64-bit integers");
  EXPECT_EQ(inBody("%C[1.5] = s"), "expected an integer, found '1.5'");
  EXPECT_EQ(inBody("%C[M +] = s"), "expected an index expression, found ']'");
}

std::string repeated(const std::string& text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i) result += text;
  return result;
}

TEST(Parse, LimitsAreErrors) {
  const char* deep = "nested too deeply: at most 256 levels";
  for (size_t n : {257, 100000}) {
    EXPECT_EQ(inOp(repeated("neg(", n) + "a"), deep);
    EXPECT_EQ(inBody("%C[" + repeated("(", n)), deep);
    EXPECT_EQ(inBody(repeated("for m = 0 .. M parallel {", n)), deep);
    EXPECT_EQ(inBody("%C[0] = " + repeated("%C[0] pad ", n)), deep);
  }
  const char* tooLong = "this index is too long";
  EXPECT_EQ(inBody("%C[" + repeated("(M + K) * ", 1000)), tooLong);
  EXPECT_EQ(inBody("%C[" + repeated("M * ", 1000)), tooLong);
  EXPECT_EQ(inBody("%C[" + repeated("(M + K) * (", 200) + "M" + repeated(" floordiv 3)", 200)),
            tooLong);
  std::string sum;
  for (int i = 0; i < 100; ++i) sum += "(M floordiv " + std::to_string(i + 2) + ") + ";
  EXPECT_EQ(inBody("%C[" + sum), tooLong);
  EXPECT_EQ(errorIn("eir 1 kernel @f(%A: tensor<" + repeated("1 x ", 33) + "f32>"),
            "a tensor has at most 32 dimensions");
  EXPECT_EQ(errorIn("eir 1 kernel @f(" + repeated("%A: tensor<f32>, ", 257)),
            "a kernel has at most 256 arguments");
}

// Every prefix of a good file is refused, without a crash.
TEST(Parse, Prefixes) {
  std::string text =
      "eir 1\nkernel @f(%A: tensor<M x (M + 1) x f32>, s: f32) -> (%C: tensor<M x f32>)"
      " attr k?: 2xi64 = [1, -2] doc \"d\\x41\" level hardware { for m = 0 .. M parallel {"
      " let c: f32 = %A[m, -1] pad -inf_f32 c = select(true, add(c, s), 0.5_f32)"
      " %C[m mod 2] = c } }";
  for (size_t size = 0; size < text.size(); ++size) {
    SourceFile source("test.eir", text.substr(0, size));
    Diagnostics errors(source);
    bool complete =
        text.substr(0, size).find_first_not_of("eir 1\n") == std::string::npos && size >= 5;
    EXPECT_EQ(parse(source, errors).has_value(), complete) << size;
  }
}

TEST(Parse, EscapesGiveAnyByte) {
  Kernel kernel =
      parsedKernel("kernel @f() -> () doc \"\\x00\\xff\\n\\\\\\\"\\q\\x4\" level tensors {}");
  EXPECT_EQ(kernel.doc, std::string("\0\xff\n\\\"qx4", 8));
}

TEST(Parse, NamesSpelledLikeWords) {
  Kernel kernel = test::goodKernel(R"(
    kernel @kernel(%op: tensor<x x mod x f32 x f32>) -> (%let: tensor<x x f32>)
        level hardware {
      for for = 0 .. x parallel {
        let pad: f32 = %op[for, 0, 0]
        pad = %op[for, 0, 0] pad 1.0_f32
        let let: f32 = pad
        let = pad
        %let[for] = let
      }
    })");
  EXPECT_EQ(print(parsedKernel(print(kernel))), print(kernel));
}

}  // namespace
}  // namespace einc::ir
