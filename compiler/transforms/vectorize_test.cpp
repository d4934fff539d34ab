// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/vectorize.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::count;
using test::has;
using test::lines;

constexpr ShortSums kNone = {0, 0, 0};

std::string vectorized(const std::string& text, const ShortSums& shortSums = kNone,
                       bool keepsOrder = false) {
  const ir::Kernel kernel = vectorize(ir::test::goodKernel(text), shortSums, keepsOrder);
  test::expectGood(kernel);
  return ir::print(kernel);
}
// The same; it computes what `spec` says, and so does the text.
std::string vectorizedAs(const std::string& spec, const std::string& text,
                         const std::set<int64_t>& sizes = {}, bool keepsOrder = false) {
  const ir::Kernel before = ir::test::goodKernel(text);
  test::expectComputes(spec, before, sizes);
  const ir::Kernel kernel = vectorize(before, kNone, keepsOrder);
  test::expectComputes(spec, kernel, sizes);
  return ir::print(kernel);
}
// Of an op whose axes are taken off for the spec.
std::string sameVectorized(const std::string& text, const std::string& axes,
                           bool keepsOrder = false) {
  std::string spec = test::at("tensors", text);
  spec.erase(spec.find(axes), axes.size());
  return vectorizedAs(spec, test::at("tiled", text), {}, keepsOrder);
}

// ---- Sums in registers ----

TEST(Vectorize, AProduct) {
  const std::string text = vectorizedAs(R"(
    kernel @f(%A: tensor<K x 8 x f32>, %B: tensor<K x 48 x f32>) -> (%C: tensor<8 x 48 x f32>)
        level tensors {
      op (m: parallel, n: parallel, k: reduction) ins(%A[k, m], %B[k, n]) outs(%C[m, n])
          { (a, b, c) -> add(c, mul(a, b)) }
    })",
                                        R"(
    kernel @f(%A: tensor<K x 8 x f32>, %B: tensor<K x 48 x f32>) -> (%C: tensor<8 x 48 x f32>)
        level tiled {
      if unit %A[1] and unit %B[1] and unit %C[1] {
        op (m: parallel, n: parallel, k: reduction) ins(%A[k, m], %B[k, n]) outs(%C[m, n])
            { (a, b, c) -> add(c, mul(a, b)) } vector (m: 8, n: 48)
      } else {
        op (m: parallel, n: parallel, k: reduction) ins(%A[k, m], %B[k, n]) outs(%C[m, n])
            { (a, b, c) -> add(c, mul(a, b)) }
      }
    })");
  EXPECT_EQ(lines(text.substr(0, text.find("} else {")), "vector (", "unit n = c"),
            "vector (m: 8, n: 48) {\n"
            "let c: f32 over (m, n) = -0.0_f32\n"
            "for k = 0 .. K reduction {\n"
            "let a: f32 over (m) = %A[k, m] unit m\n"
            "let b: f32 over (n) = %B[k, n] unit n\n"
            "c = add(c, mul(a, b))\n"
            "}\n"
            "c = add(%C[m, n] unit n, c)\n"
            "%C[m, n] unit n = c")
      << text;
  // What has no axes becomes scalar loops.
  EXPECT_EQ(count(text, "vector ("), 1U) << text;
  EXPECT_TRUE(has(text.substr(text.find("} else {")), "for m = 0 .. 8 parallel {")) << text;
}

std::string rows(const std::string& k, const std::string& payload, const std::string& type) {
  return "kernel @f(%A: tensor<M x " + k + " x " + type + ">) -> (%C: tensor<M x " + type +
         ">) level @ { op (m: parallel, k: reduction) ins(%A[m, k]) outs(%C[m]) { (a, c) -> " +
         payload + " } vector (k: 8) }";
}

// Lanes along a reduction: a sum for each, which are added up across them at the end.
TEST(Vectorize, ASumAcrossItsAxis) {
  const std::string text = sameVectorized(rows("8", "add(c, a)", "f32"), " vector (k: 8)");
  EXPECT_EQ(lines(text, "for m", "%C[m] ="),
            "for m = 0 .. M parallel {\n"
            "vector (k: 8) {\n"
            "let c: f32 over (k) = -0.0_f32\n"
            "let a: f32 over (k) = %A[m, k]\n"
            "c = add(c, a)\n"
            "%C[m] = add(%C[m], reduce add over k (c))")
      << text;
}

// Where it may end before its axis, lanes behind the end add what changes nothing.
TEST(Vectorize, ASumThatEndsBeforeItsAxis) {
  for (const char* k : {"0", "1", "7"}) {
    const std::string text = sameVectorized(rows(k, "add(c, a)", "f32"), " vector (k: 8)");
    EXPECT_TRUE(
        has(text, std::string("c = add(c, select(lt(index(k), index(") + k + ")), a, -0.0_f32))"))
        << text;
    EXPECT_TRUE(has(text, "= %A[m, k] pad 0.0_f32")) << text;
  }
  auto term = [](const std::string& payload, const std::string& type) {
    const std::string text = sameVectorized(rows("7", payload, type), " vector (k: 8)"),
                      begin = "index(7)), ";
    const size_t from = text.find(begin);
    if (from == std::string::npos) return text;
    return text.substr(from + begin.size(), text.find('\n', from) - from - begin.size());
  };
  EXPECT_EQ(term("mul(c, a)", "f32"), "a, 1.0_f32))");
  EXPECT_EQ(term("max(c, a)", "f32"), "a, -inf_f32))");
  EXPECT_EQ(term("min(a, c)", "f64"), "a, inf_f64), c)");
  EXPECT_EQ(term("add(c, mul(a, a))", "i32"), "mul(a, a), 0_i32))");
  EXPECT_EQ(term("min(c, a)", "i8"), "a, 127_i8))");
}

// ---- The ends of rows ----

const char* const kCopySpec =
    "kernel @f(%A: tensor<M x N x f32>) -> (%C: tensor<M x N x f32>) level tensors { "
    "op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n]) { (a, c) -> mul(a, 2.0_f32) } }";
std::string tiles(const std::string& op) {
  return "kernel @f(%A: tensor<M x N x f32>) -> (%C: tensor<M x N x f32>) level tiled { "
         "tile n0 : n0_size = 0 .. N by 8 parallel { "
         "view %A_n0: tensor<M x n0_size x f32> = (m, n) -> %A[m, n0 + n] "
         "view %C_n0: tensor<M x n0_size x f32> = (m, n) -> %C[m, n0 + n] " +
         op + " } }";
}
const char* const kCopy =
    "op (m: parallel, n: parallel) ins(%A_n0[m, n]) outs(%C_n0[m, n]) "
    "{ (a, c) -> mul(a, 2.0_f32) } vector (n: 8)";

TEST(Vectorize, MasksWhereRowsMayEndBeforeTheirAxis) {
  const std::string text = vectorizedAs(kCopySpec, tiles(kCopy), {8, 16});
  EXPECT_EQ(lines(text, "for m", "clip"),
            "for m = 0 .. M parallel {\n"
            "vector (n: 8) {\n"
            "let a: f32 over (n) = %A_n0[m, n] pad 0.0_f32\n"
            "%C_n0[m, n] clip = mul(a, 2.0_f32)")
      << text;
}

TEST(Vectorize, NoMasksWhereAConditionSaysThatTheyDoNot) {
  const std::string text = vectorizedAs(
      kCopySpec, tiles("if n0_size == 8 { " + std::string(kCopy) + " } else { " + kCopy + " }"),
      {8, 16});
  const std::string whole = text.substr(0, text.find("} else {"));
  EXPECT_FALSE(has(whole, "pad")) << whole;
  EXPECT_FALSE(has(whole, "clip")) << whole;
  EXPECT_EQ(count(text.substr(whole.size()), "clip"), 1U) << text;
}

TEST(Vectorize, NeighboursWhereAConditionSaysThatTheyAre) {
  const std::string text =
      vectorizedAs(kCopySpec,
                   tiles("if unit %A[1] { " + std::string(kCopy) + " } else { if unit %C_n0[1] { " +
                         kCopy + " } else { " + kCopy + " } }"),
                   {8});
  EXPECT_EQ(count(text, "%A_n0[m, n] pad 0.0_f32 unit n"), 1U) << text;
  EXPECT_EQ(count(text, "%C_n0[m, n] unit n clip"), 1U) << text;
  EXPECT_EQ(count(text, "%C_n0[m, n] clip"), 2U) << text;
}

// A buffer that is as large as its axis has lanes behind the end of a row, whatever a view says.
TEST(Vectorize, BuffersThatAreLargeEnoughAreReadAndWrittenWhole) {
  auto of = [](const std::string& size) {
    const std::string text = vectorized(
        "kernel @f(%A: tensor<N x f32>) -> (%C: tensor<N x f32>) level tiled { "
        "alloc %T: tensor<" +
        size +
        " x f32> in stack tile n0 : n0_size = 0 .. N by 6 parallel { "
        "view %A_n0: tensor<n0_size x f32> = (n) -> %A[n0 + n] "
        "view %C_n0: tensor<n0_size x f32> = (n) -> %C[n0 + n] "
        "view %T_n0: tensor<n0_size x f32> = (n) -> %T[n] "
        "op (n: parallel) ins(%A_n0[n]) outs(%T_n0[n]) { (a, t) -> a } vector (n: 8) "
        "op (n: parallel) ins(%T_n0[n]) outs(%C_n0[n]) { (t, c) -> t } vector (n: 8) } }");
    return text;
  };
  EXPECT_TRUE(has(of("8"), "%T[n] unit n = a")) << of("8");
  EXPECT_TRUE(has(of("8"), "= %T[n] unit n %C_n0[n] clip = t")) << of("8");
  EXPECT_TRUE(has(of("7"), "%T_n0[n] unit n clip = a")) << of("7");
  EXPECT_TRUE(has(of("7"), "= %T_n0[n] pad 0.0_f32 unit n")) << of("7");
}

// ---- What a sum begins with ----

std::string sums(const std::string& k, const std::string& m = "16") {
  return "kernel @f(%A: tensor<" + k + " x " + m + " x f32>) -> (%C: tensor<" + m +
         " x f32>) level @ { op (m: parallel, k: reduction) ins(%A[k, m]) outs(%C[m]) "
         "{ (a, c) -> add(c, a) } vector (m: " +
         m + ") }";
}
std::string begin(const std::string& text) {
  const std::string from = "let c: f32 over (m) = ";
  const size_t at = text.find(from) + from.size();
  return text.substr(at, text.find('\n', at) - at);
}

TEST(Vectorize, ShortSumsBeginWithWhatIsThere) {
  auto at = [](const std::string& k, const ShortSums& shortSums) {
    return begin(vectorized(test::at("tiled", sums(k)), shortSums));
  };
  EXPECT_EQ(at("4", {4, 0, 0}), "%C[m]");
  EXPECT_EQ(at("5", {4, 0, 0}), "-0.0_f32");
  EXPECT_EQ(at("K", {4, 8, 64}), "-0.0_f32");  // not known to be short
  // In 64 bytes of cache there are others.
  EXPECT_EQ(at("8", {4, 8, 64}), "%C[m]");
  EXPECT_EQ(at("8", {4, 8, 63}), "-0.0_f32");
  EXPECT_EQ(at("9", {4, 8, 64}), "-0.0_f32");
}

TEST(Vectorize, SumsThatKeepTheirOrderBeginWithWhatIsThere) {
  const std::string text = sameVectorized(sums("K"), " vector (m: 16)", /*keepsOrder=*/true);
  EXPECT_EQ(begin(text), "%C[m]") << text;
  EXPECT_TRUE(has(text, "} %C[m] = c }")) << text;
  EXPECT_EQ(begin(sameVectorized(sums("K"), " vector (m: 16)")), "-0.0_f32");
  // Along an axis there is no order to keep.
  EXPECT_TRUE(has(sameVectorized(rows("8", "add(c, a)", "f32"), " vector (k: 8)", true),
                  "let c: f32 over (k) = -0.0_f32"));
}

// Registers of an invocation, in which the sum is kept from one loop to the next.
TEST(Vectorize, SumsInRegistersGoOnThere) {
  auto startOf = [](const std::string& memory) {
    const std::string text = vectorized(
        "kernel @f(%A: tensor<K x 8 x f32>) -> (%C: tensor<4 x 8 x f32>) level tiled { "
        "dispatch d (4, 1, 1) { tile w : ws = 0 .. 1 by 1 parallel on workgroups x { "
        "alloc %R: tensor<4 x 8 x f32> in " +
        memory +
        " tile t : ts = 0 .. 4 by 1 parallel on invocations x { "
        "view %V: tensor<8 x f32> = (n) -> %R[t, n] view %W: tensor<8 x f32> = (n) -> %C[t, n] "
        "op (n: parallel) outs(%V[n]) { (v) -> 1.0_f32 } vector (n: 8) "
        "op (n: parallel, k: reduction) ins(%A[k, n]) outs(%V[n]) { (a, v) -> add(v, a) } "
        "vector (n: 8) "
        "op (n: parallel) ins(%V[n]) outs(%W[n]) { (v, w) -> v } vector (n: 8) } } } }");
    const std::string begin = "let r1: f32 over (n) = ";
    const size_t from = text.find(begin);
    if (from == std::string::npos) return text;
    return text.substr(from + begin.size(), text.find('\n', from) - from - begin.size());
  };
  EXPECT_EQ(startOf("registers"), "%R[t, n] unit n");
  EXPECT_EQ(startOf("workgroup"), "-0.0_f32");
}

// A function that is no combiner has an order.
TEST(Vectorize, OthersBeginWithWhatIsThere) {
  const std::string text = sameVectorized(
      "kernel @f(%A: tensor<K x 4 x i32>) -> (%C: tensor<4 x i32>) level @ { op (m: parallel, "
      "k: reduction) ins(%A[k, m]) outs(%C[m]) { (a, c) -> add(mul(c, 3_i32), a) } vector (m: 4) }",
      " vector (m: 4)");
  EXPECT_TRUE(has(text, "let c: i32 over (m) = %C[m]")) << text;
}

// ---- Loops and several outputs ----

TEST(Vectorize, ParallelLoopsOutsideReductionsInside) {
  const std::string text = sameVectorized(
      "kernel @f(%A: tensor<K x M x 4 x J x i32>) -> (%C: tensor<M x 4 x i32>) level @ { "
      "op (k: reduction, m: parallel, n: parallel, j: reduction) ins(%A[k, m, n, j]) "
      "outs(%C[m, n]) { (a, c) -> add(c, a) } vector (n: 4) }",
      " vector (n: 4)");
  EXPECT_TRUE(has(text,
                  "for m = 0 .. M parallel { vector (n: 4) { let c: i32 over (n) = 0_i32 "
                  "for k = 0 .. K reduction { for j = 0 .. J reduction {"))
      << text;
}

// Results are of the values before the update, with and without a sum.
TEST(Vectorize, SeveralOutputs) {
  const std::string text = sameVectorized(
      "kernel @f(%A: tensor<K x 4 x i32>) -> (%C: tensor<4 x i32>, %D: tensor<4 x i32>) level @ { "
      "op (m: parallel, k: reduction) ins(%A[k, m]) outs(%C[m], %D[m]) "
      "{ (a, c, d) -> add(d, a), sub(c, a) } vector (m: 4) }",
      " vector (m: 4)");
  EXPECT_TRUE(has(text,
                  "let c_next: i32 over (m) = add(d, a) let d_next: i32 over (m) = sub(c, a) "
                  "c = c_next d = d_next }"))
      << text;
  const std::string swap = sameVectorized(
      "kernel @f(%A: tensor<4 x i32>) -> (%C: tensor<4 x i32>, %D: tensor<4 x i32>) level @ { "
      "op (m: parallel) ins(%A[m]) outs(%C[m], %D[m]) { (a, c, d) -> d, add(c, a) } "
      "vector (m: 4) }",
      " vector (m: 4)");
  EXPECT_TRUE(has(swap, "= %D[m]")) << swap;
  EXPECT_LT(swap.find("c_next"), swap.find("%C[m] = ")) << swap;
  EXPECT_LT(swap.find("let d_next"), swap.find("%C[m] = ")) << swap;
}

// The rounds of a reduction are code of their own where their number is known.
TEST(Vectorize, UnrolledTerms) {
  const std::string op =
      "op (m: parallel, k: reduction) ins(%A[m + k], %K[k] shape) outs(%C[m]) "
      "{ (a, k, c) -> add(c, a) } vector (m: 8) unrolled (k)";
  auto of = [&](const std::string& condition) {
    return vectorized(
        "kernel @f(%A: tensor<N x f32>, %K: tensor<K x f32>) -> (%C: tensor<8 x f32>) level tiled "
        "{ if " +
        condition + " { " + op + " } else { } }");
  };
  EXPECT_TRUE(has(of("K == 3"), "for k = 0 .. 3 reduction unrolled {"));
  EXPECT_TRUE(has(of("K <= 3"), "for k = 0 .. K reduction {"));
}

// The greatest of floats is the least of what is negated, where that takes fewer instructions.
TEST(Vectorize, MaximaAreNegated) {
  const std::string spec =
      "kernel @f(%A: tensor<8 x K x T>) -> (%C: tensor<8 x T>) level tensors { "
      "op (m: parallel, k: reduction) ins(%A[m, k]) outs(%C[m]) { (a, c) -> max(c, a) } }";
  auto of = [&](const std::string& type, bool negates, bool keepsOrder = false) {
    std::string text = spec;
    for (size_t place; (place = text.find("x T>")) != std::string::npos;)
      text.replace(place + 2, 1, type);
    std::string tiled = text;
    tiled.replace(tiled.find("tensors"), 7, "tiled");
    tiled.insert(tiled.find(" }", tiled.find("max(")) + 2, " vector (m: 8)");
    const ir::Kernel kernel = vectorize(ir::test::goodKernel(tiled), kNone, keepsOrder, negates);
    test::expectComputes(text, kernel, {});
    return ir::print(kernel);
  };
  const std::string text = of("f32", true);
  EXPECT_TRUE(has(text, "let c: f32 over (m) = inf_f32")) << text;
  EXPECT_TRUE(has(text, "c = min(c, neg(a))")) << text;
  EXPECT_TRUE(has(text, "c = max(%C[m], neg(c))")) << text;
  EXPECT_TRUE(has(of("f64", true), "min(c, neg(a))"));
  for (const std::string& other : {of("f32", false), of("f32", true, true), of("i32", true)})
    EXPECT_FALSE(has(other, "neg(")) << other;
}

// What is there is read of all positions before any is written; with one test for both, where rows may
// end across the axis of neighbours.
TEST(Vectorize, ReadsBeforeWrites) {
  const std::string spec =
      "kernel @f(%A: tensor<K x M x 8 x f32>) -> (%C: tensor<M x 8 x f32>) level tensors { "
      "op (m: parallel, n: parallel, k: reduction) ins(%A[k, m, n]) outs(%C[m, n]) "
      "{ (a, c) -> max(c, a) } }";
  auto of = [&](const std::string& m) {
    std::string text = spec;
    text.replace(text.find("tensors"), 7, "tiled");
    const std::string op =
        "op (m: parallel, n: parallel, k: reduction) ins(%A0[k, m, n]) outs(%C0[m, n]) "
        "{ (a, c) -> max(c, a) } vector (m: 4, n: 8)";
    const size_t from = text.find("op (");
    text.replace(from, text.find("} }", from) + 1 - from,
                 "if unit %A[2] and unit %C[1] { tile m0 : m0_size = 0 .. M by 4 parallel { "
                 "view %A0: tensor<K x m0_size x 8 x f32> = (k, m, n) -> %A[k, m0 + m, n] "
                 "view %C0: tensor<m0_size x 8 x f32> = (m, n) -> %C[m0 + m, n] " +
                     m +
                     " } } else { op (m: parallel, n: parallel, k: reduction) "
                     "ins(%A[k, m, n]) outs(%C[m, n]) { (a, c) -> max(c, a) } }");
    text.replace(text.find("OP"), 2, op);
    return vectorizedAs(spec, text, {4, 8});
  };
  const std::string cut = of("OP");
  EXPECT_TRUE(has(cut, "%C0[m, n] unit n clip = max(%C0[m, n] pad 0.0_f32 unit n, c)")) << cut;
  const std::string whole =
      of("if m0_size == 4 { OP } else { "
         "op (m: parallel, n: parallel, k: reduction) ins(%A0[k, m, n]) "
         "outs(%C0[m, n]) { (a, c) -> max(c, a) } }");
  EXPECT_TRUE(has(whole, "c = max(%C0[m, n] unit n, c) %C0[m, n] unit n = c")) << whole;
}

// ---- Prefetches, copies, registers ----

TEST(Vectorize, PrefetchesOfInputsAndOutputs) {
  const std::string text = vectorized(
      "kernel @f(%A: tensor<K x 8 x f32>, %S: tensor<K x f32>) -> (%C: tensor<8 x f32>) level "
      "tiled "
      "{ if unit %A[1] { op (n: parallel, k: reduction) ins(%A[k, n], %S[k]) outs(%C[n]) "
      "{ (a, s, c) -> add(c, mul(a, s)) } vector (n: 8) ahead n 64 early } else { "
      "op (n: parallel, k: reduction) ins(%A[k, n], %S[k]) outs(%C[n]) "
      "{ (a, s, c) -> add(c, mul(a, s)) } vector (n: 8) ahead n 64 } }");
  EXPECT_TRUE(has(text, "vector (n: 8) { prefetch %C[n] let c: f32 over (n) = -0.0_f32")) << text;
  EXPECT_TRUE(has(text, "prefetch %A[k, n + 64] let a: f32 over (n) = %A[k, n] unit n")) << text;
  EXPECT_EQ(count(text, "prefetch"), 2U) << text;  // nothing of %S, nor where %A is not unit
}

TEST(Vectorize, PrefetchesOfWhatIsWritten) {
  const std::string text = vectorized(
      "kernel @f(%A: tensor<M x 8 x f32>, %S: tensor<M x f32>) -> (%B: tensor<M x 8 x f32>, %C: "
      "tensor<8 x M x f32>) level tiled "
      "{ if unit %B[1] { op (m: parallel, n: parallel) ins(%A[m, n], %S[m]) outs(%B[m, n]) "
      "{ (a, s, b) -> mul(a, s) } vector (n: 8) own n 16 } "
      "op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[n, m]) { (a, c) -> a } vector (n: 8) "
      "own n 16 }");
  EXPECT_TRUE(has(text, "prefetch own %B[m, n + 16] %B[m, n] unit n = mul(")) << text;
  EXPECT_EQ(count(text, "prefetch"), 1U) << text;  // nothing of %C, whose neighbours are apart
}

TEST(Vectorize, PrefetchesOfTheNextTileOfWindows) {
  const std::string text = vectorized(
      "kernel @f(%A: tensor<(M + 2) x (N + 2) x 8 x f32>, %K: tensor<3 x 8 x f32>) -> (%C: "
      "tensor<M x N x 8 x f32>) "
      "level tiled { if unit %A[2] and unit %C[2] { op (m: parallel, n: parallel, c: parallel, k: "
      "reduction) "
      "ins(%A[m, n + k, c], %K[k, c]) outs(%C[m, n, c]) "
      "{ (a, b, c) -> add(c, mul(a, b)) } vector (n: 4, c: 8) ahead n 4 early unrolled (k) } }");
  EXPECT_TRUE(has(text, "prefetch %C[m, n + 4, c] prefetch %A[m, n + 6, c] let")) << text;
  EXPECT_EQ(count(text, "prefetch"), 2U) << text;
  const std::string far = vectorized(
      "kernel @f(%A: tensor<(M + 2) x 8 x f32>, %K: tensor<3 x 8 x f32>) -> (%C: tensor<M x 8 x "
      "f32>) "
      "level tiled { if unit %A[1] and unit %C[1] { op (m: parallel, c: parallel, k: reduction) "
      "ins(%A[m + k, c], %K[k, c]) outs(%C[m, c]) { (a, b, c) -> add(c, mul(a, b)) } "
      "vector (m: 4, c: 8) ahead m 4 far early unrolled (k) } }");
  EXPECT_TRUE(has(far, "prefetch far %C[m + 4, c] prefetch far %A[m + 6, c] let")) << far;
  // Along what is unrolled, or what may be outside, there is no next tile.
  const std::string rest = vectorized(
      "kernel @f(%A: tensor<M x 3 x 8 x f32>, %K: tensor<3 x 8 x f32>) -> (%C: tensor<M x 8 x "
      "f32>) level tiled { "
      "if unit %A[2] and unit %C[1] { op (m: parallel, c: parallel, k: reduction) "
      "ins(%A[m, k, c], %K[k, c] pad 0.0_f32) outs(%C[m, c]) "
      "{ (a, b, c) -> add(c, mul(a, b)) } vector (m: 4, c: 8) ahead k 1 early unrolled (k) } }");
  EXPECT_TRUE(has(rest, "prefetch %C[m, c] prefetch %A[m, 2, c] let")) << rest;
  EXPECT_EQ(count(rest, "prefetch"), 2U) << rest;
}

// Of words that are whole bytes lanes are words.
TEST(Vectorize, EightPartsOfBytesAreAWord) {
  auto sum = [](const std::string& where) {
    return vectorized(
        "kernel @f(%W: tensor<128 x i4>, %X: tensor<8 x 16 x f32>) -> (%y: tensor<f32>) level "
        "tiled { if " +
        where +
        " { view %V: tensor<16 x 8 x i4> = (w, l) -> %W[w * 8 + l] "
        "op (w: reduction, l: reduction) ins(%V[w, l], %X[l, w]) outs(%y[]) { (v, x, y) -> add(y, "
        "mul(x, cast<f32>(v))) } vector (l: 8, w: 16) } else { } }");
  };
  EXPECT_TRUE(has(sum("unit %W[0] and aligned %W[0] to 1"), "%V[w, l] let x"));
  EXPECT_TRUE(has(sum("unit %W[0]"), "%V[w, l] unit l let x"));
}

TEST(Vectorize, WhatIsReadIsCopied) {
  const std::string text = vectorized(
      "kernel @f(%A: tensor<K x 8 x f32>) -> (%C: tensor<8 x f32>, %D: tensor<8 x f32>) level "
      "tiled "
      "{ alloc %T: tensor<8 x f32> in stack tile k0 : k0_size = 0 .. K by 1 reduction { "
      "view %R: tensor<8 x f32> = (n) -> %A[k0, n] "
      "op (n: parallel) ins(%R[n] copied to %T[n]) outs(%C[n]) { (a, c) -> a } vector (n: 8) "
      "op (n: parallel) ins(%T[n]) outs(%D[n]) { (t, d) -> t } vector (n: 8) } }");
  EXPECT_TRUE(has(text, "= %R[n] %T[n] unit n = ")) << text;
}

// ---- What is read outside ----

// Where all lanes are inside, which two comparisons tell, nothing is masked.
TEST(Vectorize, TermsThatAreAllInsideAreToldFromOthers) {
  const std::string spec =
      "kernel @f(%A: tensor<N x f32>, %W: tensor<3 x f32>) -> (%C: tensor<N x f32>) level tensors "
      "{ op (n: parallel, k: reduction) ins(%A[n + k - 1] pad 0.0_f32, %W[k]) outs(%C[n]) "
      "{ (a, w, c) -> add(c, mul(a, w)) } }";
  const std::string text = vectorizedAs(
      spec,
      "kernel @f(%A: tensor<N x f32>, %W: tensor<3 x f32>) -> (%C: tensor<N x f32>) level tiled { "
      "tile n0 : n0_size = 0 .. N by 8 parallel { "
      "view %V: tensor<n0_size x 3 x f32> = (n, k) -> %A[n0 + n + k - 1] pad 0.0_f32 "
      "view %C0: tensor<n0_size x f32> = (n) -> %C[n0 + n] "
      "if n0_size == 8 { op (n: parallel, k: reduction) ins(%V[n, k], %W[k]) outs(%C0[n]) "
      "{ (a, w, c) -> add(c, mul(a, w)) } vector (n: 8) } else { "
      "op (n: parallel, k: reduction) ins(%V[n, k], %W[k]) outs(%C0[n]) "
      "{ (a, w, c) -> add(c, mul(a, w)) } vector (n: 8) } } }",
      {8, 16});
  EXPECT_TRUE(has(text,
                  "if 0 <= (n0 + k - 1) and (n0 + k + 6) < N { "
                  "let v1: f32 over (n) = %A[n0 + n + k - 1] let w1: f32 = %W[k] "
                  "c = add(c, mul(v1, w1)) } else { let v: f32 over (n) = %V[n, k]"))
      << text;
  // Not where rows may end before their axis.
  EXPECT_EQ(count(text, "if 0 <="), 1U) << text;
  EXPECT_TRUE(has(text, "= %V[n, k] pad 0.0_f32")) << text;
}

// Whole rows are inside or outside, of which nothing is read then.
TEST(Vectorize, TermsThatAreAllOutsideReadNothing) {
  const std::string op =
      "op (m: parallel, n: parallel, k: reduction) ins(%V[m, k, n], %W[k]) outs(%C[m, n]) "
      "{ (a, w, c) -> add(c, mul(a, w)) } vector (n: 8)";
  const std::string text = vectorizedAs(
      "kernel @f(%A: tensor<M x 8 x f32>, %W: tensor<3 x f32>) -> (%C: tensor<M x 8 x f32>) "
      "level tensors { op (m: parallel, n: parallel, k: reduction) "
      "ins(%A[m + k - 1, n] pad 3.0_f32, %W[k]) outs(%C[m, n]) "
      "{ (a, w, c) -> add(c, mul(a, w)) } }",
      "kernel @f(%A: tensor<M x 8 x f32>, %W: tensor<3 x f32>) -> (%C: tensor<M x 8 x f32>) "
      "level tiled { "
      "view %V: tensor<M x 3 x 8 x f32> = (m, k, n) -> %A[m + k - 1, n] pad 3.0_f32 " +
          op + " }");
  EXPECT_TRUE(has(text,
                  "if 0 <= (m + k - 1) and (m + k - 1) < M { "
                  "let v1: f32 over (n) = %A[m + k - 1, n]"))
      << text;
  EXPECT_TRUE(has(text, "} else { let v: f32 over (n) = 3.0_f32")) << text;
}

}  // namespace
}  // namespace einc::transforms
