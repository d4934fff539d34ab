// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/layouts.h"

#include "compiler/frontend/frontend.h"
#include "compiler/frontend/parser.h"
#include "compiler/ir/print.h"
#include "gtest/gtest.h"

namespace einc::frontend {
namespace {

// The ops of a spec, or its first error.
std::string ops(const std::string& text) {
  SourceFile source("spec.tc", text);
  Diagnostics errors(source);
  auto module = buildModule(parse(source, errors), {}, errors);
  if (module) return ir::print(*module);
  for (const Diagnostic& d : errors.all())
    if (d.severity == Severity::Error) return d.message;
  return "no error";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string pooling(const std::string& layouts) {
  return "def p(I: f32{n: N, c: C, h: IH, w: IW}, K: f32{h: KH, w: KW})"
         " -> (O: f32{n: N, c: C, h: OH, w: OW}) attr(strides: i64{h, w} = [3, 2]) layouts(" +
         layouts +
         ") { O{n, c, h: oh, w: ow} = std_addf<kh, kw>(O{n, c, h: oh, w: ow},"
         " I{n, c, h: oh * strides{h} + kh, w: ow * strides{w} + kw} / cast<f32>(KH * KW)); }";
}

TEST(Layouts, OrderAxes) {
  std::string text =
      ops(pooling("nchw(I = nchw, K = hw, O = nchw), nhwc(I = nhwc, K = hw, O = hnwc)"));
  EXPECT_TRUE(has(text, "kernel @nchw(%I: tensor<N x C x IH x IW x f32>")) << text;
  EXPECT_TRUE(has(text, "%I[n, c, oh * strides[0] + kh, ow * strides[1] + kw]")) << text;
  EXPECT_TRUE(has(text, "-> (%O: tensor<OH x N x OW x C x f32>)")) << text;
  EXPECT_TRUE(has(text, "outs(%O[oh, n, ow, c])")) << text;
  EXPECT_TRUE(has(text, "attr strides: 2xi64 = [3, 2]")) << text;
}

TEST(Layouts, LeaveOutAxes) {
  std::string text = ops(pooling("wn(I = wn, K = w, O = wn)"));
  EXPECT_TRUE(has(text, "tensor<IW x N x f32>")) << text;
  EXPECT_TRUE(has(text, "attr strides: 1xi64 = [2]")) << text;
  EXPECT_TRUE(has(text, "op (ow: parallel, n: parallel, kw: reduction)")) << text;
  EXPECT_TRUE(has(text, "%I[ow * strides[0] + kw, n]")) << text;
  // A size that is left out is 1.
  EXPECT_TRUE(has(text, "mul(1_i64, index(KW))")) << text;
  // Without any space, there is neither window nor stride.
  text = ops(pooling("n(I = n, K = w, O = n)"));
  EXPECT_TRUE(has(text, "kernel @n")) << text;
}

TEST(Layouts, LeaveOutIterators) {
  std::string text =
      ops("def d(I: i64{h: H, w: W}) -> (O: i64{h: H, w: W}) layouts(d1(I = w, O = w))"
          "{ O{h, w} = I{h, w} + index(h) * 7; }");
  EXPECT_TRUE(has(text, "add(i, mul(0_i64, 7_i64))") || has(text, "index(0)")) << text;
}

TEST(Layouts, LocalsFollowTheOutput) {
  std::string text =
      ops("def d(I: f32{n: N, h: H, w: W}) -> (O: f32{n: N, h: H, w: W})"
          " layouts(a(I = nhw, O = whn), b(I = nw, O = wn)) {"
          " local T: f32{n: N, h: H, w: W}; T{n, h, w} = I{n, h, w}; O{n, h, w} = T{n, h, w}; }");
  EXPECT_TRUE(has(text, "local %T: tensor<W x H x N x f32>")) << text;
  EXPECT_TRUE(has(text, "local %T: tensor<W x N x f32>")) << text;
}

TEST(Layouts, WithoutOrdersAreAsDeclared) {
  std::string text =
      ops("def d(I: f32{a: A, b: B}) -> (O: f32{b: B, a: A}) { O{a, b} = I{b, a}; }");
  EXPECT_TRUE(has(text, "%I[a, b]")) << text;
  EXPECT_TRUE(has(text, "outs(%O[b, a])")) << text;
}

struct Slip {
  const char* text;
  const char* message;
};

TEST(Layouts, RefuseSlips) {
  const std::string head =
      "def d(I: f32{n: N, w: W}) -> (O: f32{n: N, w: W}) attr(s: i64{n, w} = 1) ";
  const Slip slips[] = {
      {"layouts(a(I = nx, O = nw)) { O{n, w} = I{n, w}; }", "'I' has no axis 'x'; it has n, w"},
      {"layouts(a(I = nn, O = nw)) { O{n, w} = I{n, w}; }", "axis 'n' stands here twice"},
      {"layouts(a(I = nw)) { O{n, w} = I{n, w}; }", "layout 'a' gives no order to the axes of 'O'"},
      {"layouts(a(J = nw, O = nw)) { O{n, w} = I{n, w}; }", "no tensor 'J' has axes here"},
      {"layouts(a(I = nw, I = wn, O = nw)) { O{n, w} = I{n, w}; }", "'I' is given an order twice"},
      {"layouts(a(I = nw, O = nw)) { O{n, w} = I(n, w); }",
       "'I' has the axes n, w; expected I{...}"},
      {"layouts(a(I = nw, O = nw)) { O{n, w} = I{n}; }", "axis 'w' of 'I' has no index here"},
      {"layouts(a(I = nw, O = nw)) { O{n, w} = I{n, w, x}; }", "'I' has no axis 'x'"},
      {"layouts(a(I = nw, O = nw)) { O{n, w} = J{n, w}; }", "'J' is declared without axes"},
      {"layouts(a(I = nw, O = nw)) { O{n, w} = I{n: n * s{h}, w}; }", "expected one axis of 's'"},
      {"layouts(a(I = w, O = w)) { O{n, w} = I{n, w: w * s{n}}; }",
       "no tensor of 'a' has an axis 'n'"},
      {"layouts(a(I = nw, O = nw), a(I = wn, O = wn)) { O{n, w} = I{n, w}; }",
       "'a' is defined twice"},
      {"layouts(a) { O{n, w} = I{n, w}; }", "expected '(', found ')'"},
      {"layouts(a(I, O)) { O{n, w} = I{n, w}; }", "expected '=' and its axes, such as nhwc"},
  };
  for (const Slip& slip : slips)
    EXPECT_TRUE(has(ops(head + slip.text), slip.message)) << ops(head + slip.text);
  EXPECT_TRUE(has(ops("def d(I: f32{nn: N}) -> (O: f32(N)) { O(n) = I{nn: n}; }"),
                  "an axis is one letter"));
  EXPECT_TRUE(has(ops("ods_def<DOp>: def d(I: f32{n: N}) -> (O: f32{n: N})"
                      " layouts(a(I = n, O = n), b(I = n, O = n)) { O{n} = I{n}; }"),
                  "one class name for 2 defs"));
  std::string two =
      "def d(I: f32{n: N}) -> (O: f32{n: N})"
      " layouts(a(I = n, O = n), b(I = n, O = n)) { O{n} = I{n}; }";
  EXPECT_TRUE(has(ops("library_call<my_d> " + two), "one function for 2 defs"));
  EXPECT_FALSE(has(ops("library_call<> " + two), "one function"));
  EXPECT_TRUE(has(ops("def d(I: f32{n: N}) -> (O: f32{n: N}) attr(s: i64{x} = 1)"
                      " { O{n} = I{n: n * s{x}}; }"),
                  "no tensor of 'd' has an axis 'x'"));
  EXPECT_TRUE(has(ops("def d(I: f32{n: N}) -> (O: f32{n: N}) attr(s: 2xi64{n}) { O{n} = I{n}; }"),
                  "the axes of 's' give its elements"));
}

TEST(Layouts, AreBounded) {
  std::string layouts;
  for (int i = 0; i < 3000; ++i)
    layouts += (i ? ", l" : "l") + std::to_string(i) + "(I = n, O = n)";
  EXPECT_TRUE(
      has(ops("def d(I: f32{n: N}) -> (O: f32{n: N}) layouts(" + layouts + ") { O{n} = I{n}; }"),
          "too long for 3000 layouts"));
}

}  // namespace
}  // namespace einc::frontend
