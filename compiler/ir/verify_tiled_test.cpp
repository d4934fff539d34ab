// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Rules below the structured ops, broken and kept: tiles, views and vectors, calls of libraries and
// of functions of the user's own.
#include "compiler/ir/test_text.h"
#include "compiler/ir/verify_cases.h"

namespace einc::ir {
namespace {

// A kernel with these statements at a level below the structured ones.
std::string tiled(const std::string& level, const std::string& body) {
  return "kernel @f(%A: tensor<M x f32>, s: f32) -> (%C: tensor<M x f32>) level " + level +
         " { bound one = min(1, M) if 1 <= M { outline all { alloc %init: tensor<4 x f32> in stack "
         "view %V: tensor<M x f32> = (d) -> %A[d] " +
         body + " } } " +
         (level == "tiled" ? "op (m: parallel) outs(%C[m]) { (c) -> s }"
                           : "for m = 0 .. M parallel { %C[m] = s }") +
         " }";
}

// One that reads elements of integers.
std::string ofElements(const std::string& body) {
  return "kernel @f(%A: tensor<M x f32>, %l: tensor<M x i32>) -> (%C: tensor<M x f32>) level tiled "
         "{ " +
         body + " op (m: parallel) outs(%C[m]) { (c) -> 0.0_f32 } }";
}

}  // namespace

std::vector<Case> tilesAndVectors() {
  auto at = [](const std::string& what) {
    return [what](Kernel& k) {
      forEachStatement(k.body, [&](const Stmt& stmt) {
        auto& changed = const_cast<Stmt&>(stmt);
        if (auto* view = std::get_if<View>(&changed.node)) {
          if (what == "dims") view->dims.emplace_back("e");
          if (what == "map") view->map.clear();
          if (what == "role") view->view = 0;
        }
        auto* alloc = std::get_if<Alloc>(&changed.node);
        if (alloc && alloc->over && what == "alloc") alloc->space = Space::Stack;
        if (auto* bound = std::get_if<Bound>(&changed.node); bound && what == "bound")
          bound->of.clear();
        if (auto* test = std::get_if<If>(&changed.node); test && what == "condition")
          test->conditions.clear();
        if (auto* fused = std::get_if<Fused>(&changed.node); fused && what == "fused")
          fused->ops.push_back({Alloc{0}});
      });
    };
  };
  std::string op = "op (m: parallel) ins(%V[m]) outs(%C[m]) { (v, c) -> v }";
  auto device = [&](const std::string& body) {
    return tiled("tiled", "dispatch d (4, 1, 1) { " + body + " } " + op);
  };
  return {
      {Rule::View, "names", tiled("tiled", op), at("dims")},
      {Rule::View, "map", tiled("tiled", op), at("map")},
      {Rule::View, "an argument", tiled("tiled", op), at("role")},
      {Rule::View, "used outside",
       tiled("tiled",
             "if one <= M { view %W: tensor<M x f32> = (d) -> %A[d] } "
             "op (m: parallel) ins(%W[m]) outs(%C[m]) { (v, c) -> v }")},
      {Rule::View, "bits of f32", tiled("tiled", "view %W: tensor<M x i32> = (d) -> %A[d] " + op)},
      {Rule::View, "words of f32",
       tiled("tiled", "view %W: tensor<(M floordiv 2) x i64> = (d) -> %A[d * 2] " + op)},
      {Rule::View, "words that are no neighbours",
       tiled(
           "tiled",
           "alloc %b: tensor<9 x i8> in stack view %W: tensor<2 x i32> = (d) -> %b[d * 3] " + op)},
      {Rule::View, "words that are written",
       tiled("tiled",
             "alloc %b: tensor<8 x i8> in stack view %W: tensor<2 x i32> = (d) -> %b[d * 4] "
             "op (w: parallel) outs(%W[w]) { (w) -> 0_i32 } " +
                 op)},
      {Rule::View, "padded and written",
       tiled("tiled",
             "view %W: tensor<M x f32> = (d) -> %C[d] pad 0.0_f32 "
             "op (m: parallel) outs(%W[m]) { (w) -> s }")},
      {Rule::Tile, "no positions",
       tiled("vector", "tile t : ts = 0 .. M by 0 parallel { %C[t] = s }")},
      {Rule::Tile, "no grain",
       tiled("vector", "tile t : ts = 0 .. M by 2 parallel on threads from 0 { %C[t] = s }")},
      {Rule::Alloc, "a size that differs among threads",
       tiled("vector",
             "tile t : ts = 0 .. M by 2 parallel on threads { alloc %T: tensor<ts x f32> "
             "%C[t] = s }")},
      {Rule::Alloc, "over itself", tiled("tiled", "alloc %T: tensor<M x f32> over %T")},
      {Rule::Alloc, "over what is on the stack",
       tiled("tiled", "alloc %T: tensor<M x f32> over %init")},
      {Rule::Alloc, "on the stack, over another",
       tiled("tiled", "alloc %T: tensor<4 x f32> alloc %U: tensor<4 x f32> over %T"), at("alloc")},
      {Rule::Alloc, "over what another block has",
       tiled("tiled", "alloc %T: tensor<4 x f32> if 1 <= M { alloc %U: tensor<4 x f32> over %T }")},
      {Rule::Alloc, "over one, twice",
       tiled("tiled",
             "alloc %T: tensor<4 x f32> alloc %U: tensor<4 x f32> over %T "
             "alloc %W: tensor<4 x f32> over %T")},
      {Rule::Alloc, "used when it is another's",
       tiled("vector", "alloc %T: tensor<4 x f32> alloc %U: tensor<4 x f32> over %T %T[0] = s")},
      {Rule::Alloc, "a view of what is another's",
       tiled("vector",
             "alloc %T: tensor<4 x f32> view %W: tensor<4 x f32> = (d) -> %T[d] "
             "alloc %U: tensor<4 x f32> over %T %W[0] = s")},
      {Rule::Alloc, "a size that is not known yet",
       tiled("tiled",
             "alloc %T: tensor<4 x f32> bound late = min(M, 8) "
             "alloc %U: tensor<late x f32> over %T")},
      {Rule::Tile, "a reduction on threads",
       tiled("vector", "tile t : ts = 0 .. M by 2 reduction on threads { %C[t] = s }")},
      {Rule::Bound, "of nothing", tiled("tiled", op), at("bound")},
      {Rule::Read, "floats", ofElements("read a = %A[0]")},
      {Rule::Read, "an output", ofElements("read c = %C[0]")},
      {Rule::Read, "a pad",
       ofElements("view %p: tensor<9 x i32> = (d) -> %l[d] pad 0_i32 read a = %p[0]")},
      {Rule::Read, "in a dispatch", ofElements("dispatch d (1, 1, 1) { read a = %l[0] }")},
      {Rule::Read, "memory",
       ofElements("read a = %l[0] bound b = min(a, M) alloc %T: tensor<b x f32>")},
      {Rule::MapRank, "two dimensions of one", ofElements("read a = %l[0, 0]")},
      {Rule::UniqueName, "a size", ofElements("read M = %l[0]")},
      {Rule::Dispatch, "none", tiled("tiled", "dispatch d (0, 1, 1) { }" + op)},
      {Rule::Dispatch, "of one name",
       tiled("tiled", "dispatch d (1, 1, 1) { } dispatch d (1, 1, 1) { }" + op)},
      {Rule::Dispatch, "in another",
       tiled("tiled", "dispatch d (1, 1, 1) { dispatch e (1, 1, 1) { } }" + op)},
      {Rule::On, "no dispatch",
       tiled("vector", "tile t : ts = 0 .. M by 1 parallel on grid { %C[t] = s }")},
      {Rule::On, "a reduction", device("tile t : ts = 0 .. M by 1 reduction on grid { }")},
      {Rule::On, "twice along x",
       device("tile t : ts = 0 .. M by 1 parallel on workgroups x { tile u : us = 0 .. M by 1 "
              "parallel on workgroups x { } }")},
      {Rule::On, "a loop in order around workgroups",
       device("tile t : ts = 0 .. M by 1 reduction { tile u : us = 0 .. M by 1 parallel on "
              "workgroups x { } }")},
      {Rule::On, "a grid in workgroups",
       device("tile t : ts = 0 .. M by 1 parallel on workgroups x { tile u : us = 0 .. M by 1 "
              "parallel on grid { } }")},
      {Rule::On, "statements beside workgroups",
       device("tile t : ts = 0 .. M by 1 parallel on workgroups x { } barrier")},
      {Rule::On, "invocations in invocations",
       device("tile t : ts = 0 .. M by 1 parallel on invocations { tile u : us = 0 .. 2 by 1 "
              "parallel on invocations x { } }")},
      {Rule::On, "more than there are",
       device("tile t : ts = 0 .. M by 1 parallel on invocations x { }")},
      {Rule::On, "computed by no invocation", device(op)},
      {Rule::Barrier, "outside", tiled("tiled", "barrier " + op)},
      {Rule::Barrier, "in one invocation",
       device("tile t : ts = 0 .. M by 1 parallel on invocations { barrier }")},
      {Rule::DeviceMemory, "outside",
       tiled("vector",
             "alloc %t: tensor<4 x f32> in workgroup tile t : ts = 0 .. M by 2 parallel { %C[t] = "
             "s }")},
      {Rule::DeviceMemory, "heap", device("alloc %t: tensor<4 x f32>")},
      {Rule::DeviceMemory, "of an invocation",
       device("tile t : ts = 0 .. M by 1 parallel on invocations { alloc %t: tensor<4 x f32> in "
              "workgroup }")},
      {Rule::DeviceMemory, "stack of none", device("alloc %t: tensor<4 x f32> in stack")},
      {Rule::DeviceMemory, "no part", device("alloc %t: tensor<3 x f32> in registers")},
      {Rule::DeviceMemory, "of others",
       device("alloc %t: tensor<4 x f32> in registers tile t : ts = 0 .. 4 by 1 parallel on "
              "invocations x {"
              " view %w: tensor<f32> = () -> %t[0] }")},
      {Rule::Offsets, "floats", tiled("tiled", "offsets %V[0] in %init")},
      {Rule::Offsets, "dimension",
       tiled("tiled", "alloc %t: tensor<4 x i64> in stack offsets %V[1] in %t")},
      {Rule::Offsets, "short quotients",
       tiled("tiled",
             "alloc %t: tensor<64 x i64> in stack alloc %q: tensor<2 x 4 x i64> in stack "
             "offsets %V[0] in %t, quotients in %q")},
      {Rule::Offsets, "no quotients",
       tiled("tiled",
             "alloc %t: tensor<4 x i64> in stack alloc %q: tensor<0 x 4 x i64> in stack "
             "offsets %V[0] in %t, quotients in %q")},
      {Rule::Offsets, "quotients of two",
       tiled("tiled",
             "alloc %t: tensor<4 x i64> in stack alloc %u: tensor<4 x i64> in stack alloc %q: "
             "tensor<1 x 4 x i64> in stack offsets %V[0] in %t, quotients in %q offsets %V[0] in "
             "%u, quotients in %q")},
      {Rule::Offsets, "quotients",
       tiled("tiled", "alloc %t: tensor<4 x i64> in stack offsets %V[0] in %t, quotients in %t")},
      {Rule::Condition, "none", tiled("tiled", op), at("condition")},
      {Rule::Condition, "dimension", tiled("tiled", "if unit %V[1] { " + op + " }")},
      {Rule::Axes, "in another",
       tiled("vector", "vector (n: 4) { vector (o: 4) { %init[o] = s } }")},
      {Rule::Axes, "too many positions",
       tiled("vector", "vector (n: 128, o: 128) { %init[n] = s }")},
      {Rule::Axes, "repeated too often",
       tiled("hardware", "vector (n: 2) times (o: 4611686018427387904) { %init[n] = s }")},
      {Rule::Axes, "no power of two", tiled("hardware", "vector (n: 3) { %init[n] = s }")},
      {Rule::Axes, "two at once",
       tiled("hardware",
             "vector (n: 2, o: 2) { let x: f32 over (n, o) = %V[n + o] %init[n] = s }")},
      {Rule::Axes, "repeated at another level",
       tiled("vector", "vector (n: 4) times (m: 2) { %init[n] = s }")},
      {Rule::Axes, "never repeated",
       tiled("hardware", "vector (n: 4) times (m: 0) { %init[n] = s }")},
      {Rule::Axes, "transposed, no square",
       tiled("hardware",
             "vector (n: 4) times (m: 2) { let x: f32 over (m, n) = s transpose x along m }")},
      {Rule::Axes, "transposed along lanes",
       tiled("hardware",
             "vector (n: 4) times (m: 4) { let x: f32 over (m, n) = s transpose x along n }")},
      {Rule::Axes, "transposed, no vector",
       tiled("hardware", "let x: f32 = s transpose x along n")},
      {Rule::AxisUse, "variable", tiled("vector", "vector (n: 4) { let x: f32 = %V[n] }")},
      {Rule::AxisUse, "assigned", tiled("vector", "vector (n: 4) { let x: f32 = s x = %V[n] }")},
      {Rule::AxisUse, "store", tiled("vector", "vector (n: 4) { %init[0] = %V[n] }")},
      {Rule::AxisUse, "loop",
       tiled("vector", "vector (n: 4) { for i = 0 .. n parallel { %init[n] = s } }")},
      {Rule::AxisUse, "unit", tiled("vector", "vector (n: 4) { %init[0] unit n = s }")},
      {Rule::Across, "function",
       tiled("vector", "vector (n: 4) { %init[0] = reduce sub over n (%V[n]) }")},
      {Rule::Across, "axis", tiled("vector", "%init[0] = reduce add over n (s)")},
      {Rule::Across, "lanes",
       tiled("vector",
             "vector (n: 2) { let x: f32 over (n) = %V[n] "
             "%init[n] = shuffle n [0, 4] (x, x) }")},
      {Rule::Across, "words of a block",
       tiled("hardware",
             "vector (n: 4, w: 4) { let x: i32 over (n) = 0_i32 let y: i64 over (w) = 0_i64 "
             "x = smmla[n, w](x, y, y) }")},
      {Rule::Across, "blocks of vectors of any shape",
       tiled("vector",
             "vector (n: 4, w: 2) { let x: i32 over (n) = 0_i32 let y: i64 over (w) = 0_i64 "
             "x = smmla[n, w](x, y, y) }")},
      {Rule::Across, "blocks of what has none",
       tiled("hardware",
             "vector (n: 4, w: 2) { let x: i32 over (n) = 0_i32 let y: i32 over (w) = 0_i32 "
             "x = sdot[n, w](x, y, y) }")},
      {Rule::Outline, "names", tiled("tiled", "outline g { " + op + " } outline g { " + op + " }")},
      {Rule::Outline, "assigns",
       tiled("vector", "let x: f32 = s outline g { x = s } %init[0] = x")},
      {Rule::Fused, "an alloc",
       "kernel @f() -> (%C: tensor<M x f32>) level buffers {"
       " fused { op (m: parallel) outs(%C[m]) { (c) -> c } } }",
       at("fused")},
      {Rule::Line, "dimension", tiled("tiled", "lead l = %V[1] to 64")},
      {Rule::Line, "no power of two", tiled("tiled", "lead l = %V[0] to 48")},
      {Rule::Line, "less than an element", tiled("tiled", "if aligned %V[0] to 2 { " + op + " }")},
      {Rule::NonTemporal, "an input", tiled("tiled", "non_temporal %V { " + op + " }")},
      {Rule::NonTemporal, "a local", tiled("vector", "non_temporal %init { %init[0] = s }")},
      {Rule::AssumeNumbers, "outside", tiled("hardware", "assume_numbers { } else { }")},
      {Rule::AssumeNumbers, "a store",
       tiled("hardware", "vector (n: 4) { assume_numbers { %init[n] = s } else { } }")},
      {Rule::AssumeNumbers, "not anew",
       tiled("hardware",
             "vector (n: 4) { let x: f32 over (n) = s assume_numbers { x = s } else { } "
             "%init[n] = x }")},
      {Rule::AssumeNumbers, "a check outside",
       tiled("hardware", "vector (n: 4) { check_numbers (%V[n]) }")},
      {Rule::AssumeNumbers, "a check of integers",
       tiled("hardware", "vector (n: 4) { assume_numbers { check_numbers (1_i32) } else { } }")},
      {Rule::OpAxes, "ahead",
       tiled("tiled",
             "op (m: parallel) ins(%V[m]) outs(%C[m]) { (v, c) -> v } "
             "vector (m: 4) ahead n 8")},
      {Rule::OpAxes, "ask ahead",
       tiled("tiled",
             "op (m: parallel) ins(%V[m]) outs(%C[m]) { (v, c) -> v } "
             "vector (m: 4) own n 8")},
      {Rule::OpAxes, "no sum",
       tiled("tiled",
             "op (m: parallel) ins(%V[m]) outs(%C[m]) { (v, c) -> v } "
             "vector (m: 4) early")},
      {Rule::OpAxes, "no reduction",
       tiled("tiled",
             "op (m: parallel) ins(%V[m]) outs(%C[m]) { (v, c) -> v } "
             "vector (m: 4) unrolled (m)")},
      {Rule::Tile, "not known",
       tiled("hardware", "for m = 0 .. M parallel unrolled { %init[m] = s }")},
      {Rule::OpAxes, "twice", tiled("tiled", op + " vector (m: 2, m: 4)")},
      {Rule::OpAxes, "too many positions", tiled("tiled", op + " vector (m: 8193)")},
      {Rule::OpAxes, "no iterator", tiled("tiled", op + " vector (n: 4)")},
      {Rule::Copied, "no local",
       tiled("tiled",
             "alloc %t: tensor<4 x f32> in stack op (m: parallel) ins(%V[m] copied to %C[m]) "
             "outs(%C[m]) { (v, c) -> v }")},
      {Rule::Copied, "not read",
       tiled("tiled",
             "alloc %t: tensor<4 x f32> in stack op (m: parallel) ins(%V[m] copied to %t[m]) "
             "outs(%C[m]) { (v, c) -> c }")},
      {Rule::Copied, "another type",
       tiled("tiled",
             "alloc %t: tensor<4 x i64> in stack op (m: parallel) ins(%V[m] copied to %t[m]) "
             "outs(%C[m]) { (v, c) -> v }")},
      {Rule::Copied, "other iterators",
       tiled("tiled",
             "alloc %t: tensor<4 x f32> in stack op (m: parallel) ins(%V[m] copied to %t[0]) "
             "outs(%C[m]) { (v, c) -> v }")},
  };
}

namespace {

TEST(Verify, GoodTilesAndVectors) {
  test::goodKernel(tiled("tiled",
                         "alloc %t: tensor<4 x f32> in stack op (m: parallel) ins(%V[m] copied to "
                         "%t[m]) outs(%C[m]) { (v, c) -> v }"));
  test::goodKernel(tiled("tiled",
                         "op (m: parallel, n: reduction) ins(%V[m], %A[n]) outs(%C[m]) "
                         "{ (v, a, c) -> add(c, mul(v, a)) } vector (m: 4) early"));
  test::goodKernel(
      tiled("tiled",
            "alloc %t: tensor<4 x i64> in stack alloc %q: tensor<2 x 4 x i64> in stack "
            "offsets %V[0] in %t, quotients in %q "
            "tile m0 : ms = 0 .. M by 4 parallel on threads {"
            " view %W: tensor<ms x f32> = (m) -> %V[m0 + m]"
            " view %X: tensor<ms x f32> = (m) -> %C[m0 + m]"
            " if unit %W[0] and ms == 4 {"
            " op (m: parallel) ins(%W[m]) outs(%X[m]) { (w, x) -> w } vector (m: 4) ahead m 8"
            " } else { op (m: parallel) ins(%W[m]) outs(%X[m]) { (w, x) -> w } } }"));
  test::goodKernel(
      tiled("tiled",
            "lead l = %C[0] to 64 bound r = min(l, M) if aligned %C[0] to 32 {"
            " view %W: tensor<r x f32> = (m) -> %V[m]"
            " view %X: tensor<r x f32> = (m) -> %C[m]"
            " non_temporal %C { op (m: parallel) ins(%W[m]) outs(%X[m]) { (w, x) -> w } }"
            " }"));
  test::goodKernel(ofElements(
      "tile m0 : ms = 0 .. M by 4 parallel { view %W: tensor<ms x i32> = (m) -> %l[m0 + m] "
      "read a = %W[0] read b = %l[m0] plus m0 + 1 bound c = min(a, b) if a < b { } }"));
  test::goodKernel(tiled("tiled",
                         "tile m0 : ms = 0 .. M by 4 parallel { view %W: tensor<ms x f32> = (m) -> "
                         "%V[m0 + m] prefetch %W[4] }"));
  test::goodKernel(tiled("vector",
                         "vector (m: 4, n: 4) { let x: f32 over (m) = %V[m] pad 0.0_f32 unit m "
                         "let y: f32 over (m, n) = add(x, %V[n]) "
                         "for i = 0 .. one reduction { y = add(y, x) } "
                         "%init[n] unit n clip = reduce add over m (y) }"));
  test::goodKernel(tiled("hardware",
                         "vector (n: 2) { prefetch %V[n + 64] let x: f32 over (n) = %V[n] unit n "
                         "%init[n] unit n = shuffle n [1, 2] (x, x) }"));
  test::goodKernel(tiled("hardware",
                         "vector (n: 4, w: 2) { let x: i32 over (n) = 0_i32 let y: i64 over (w) = "
                         "0_i64 x = smmla[n, w](x, y, y) %init[n] = s }"));
  test::goodKernel(tiled("hardware",
                         "vector (n: 4) times (m: 4, v: 3) { let x: f32 over (v, m, n) = "
                         "%V[m + v * 4 + n] unit n transpose x along m %init[m + v + n] = x }"));
}

// A product that a library is called for, under `head`, as an op with these operands.
std::string called(const std::string& head, const std::string& operands = "") {
  std::string product =
      "op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n]) "
      "{ (a, b, c) -> add(c, mul(a, b)) }";
  return "kernel @f(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>, s: f32, d: f64) -> "
         "(%C: tensor<M x N x f32>) level buffers { library " +
         head + " " + (operands.empty() ? product : "op " + operands) + " else { " + product +
         " } }";
}

}  // namespace

std::vector<Case> libraryCalls() {
  const std::string letters = " (m: m, n: n, k: k)";
  return {
      {Rule::Library, "library", called("mkl gemm" + letters)},
      {Rule::Library, "not this one's",
       called("blis omatcopy (m: m, n: n)",
              "(m: parallel, n: parallel) ins(%C[n, m]) "
              "outs(%C[m, n]) { (a, c) -> a }")},
      {Rule::Library, "operands", called("cblas sum (k: k)")},
      {Rule::Library, "letter", called("cblas gemm (m: m, n: n)")},
      {Rule::Library, "twice", called("cblas gemm (m: m, n: n m, k: k)")},
      {Rule::Library, "kind", called("cblas gemm (m: m, n: k, k: n)")},
      {Rule::Library, "place", called("cblas gemm (m: n, n: m, k: k)")},
      {Rule::Library, "factor", called("cblas gemm" + letters + " alpha d")},
      {Rule::Library, "adds to nothing",
       called("cblas copy (m: m n) beta s",
              "(m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n]) { (a, c) -> a }")},
      {Rule::Library, "payload",
       called("cblas gemm" + letters,
              "(m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) "
              "outs(%C[m, n]) { (a, b, c) -> add(c, add(a, b)) }")},
      {Rule::Library, "another factor", called("cblas gemm" + letters + " alpha s")},
      {Rule::Library, "pad",
       called("cblas gemm" + letters,
              "(m: parallel, n: parallel, k: reduction) ins(%A[m, k] pad s, %B[k, n]) "
              "outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }")},
  };
}

namespace {

// A kernel on buffers with a local, around a call of a function.
std::string calling(const std::string& call) {
  return "kernel @f(%A: tensor<M x f32>, s: f32) -> (%C: tensor<M x f32>) level tiled { "
         "alloc %T: tensor<M x f32> op (m: parallel) ins(%A[m]) outs(%T[m]) { (a, t) -> a } " +
         call + " }";
}

}  // namespace

std::vector<Case> externalCalls() {
  std::string op = "{ op (m: parallel) ins(%T[m]) outs(%C[m]) { (t, c) -> mul(t, s) } }";
  return {
      {Rule::External, "twice", calling("external g (%T, %T, s, %C) " + op)},
      {Rule::External, "a tensor is none", calling("external g (s, %C) " + op)},
      {Rule::External, "a scalar is none", calling("external g (%T, %C) " + op)},
      {Rule::External, "in another",
       calling("external g (%T, s, %C) { external h (%T, s, %C) " + op + " }")},
      {Rule::External, "a view with a pad",
       calling(
           "view %V: tensor<M x f32> = (d0) -> %T[d0 - 1] pad 0.0_f32 external g (%V, %T, s, %C) " +
           op)},
      {Rule::External, "what a view is of",
       calling("view %V: tensor<M x f32> = (d0) -> %T[d0] external g (%V, s, %C) " + op)},
      {Rule::StatementLevel, "tiles inside",
       calling("external g (%T, s, %C) { tile i : n = 0 .. M by 4 parallel " + op + " }")},
      {Rule::ReadBeforeWrite, "inside",
       calling("alloc %U: tensor<M x f32> external g (%U, %C) "
               "{ op (m: parallel) ins(%U[m]) outs(%C[m]) { (u, c) -> u } }")},
  };
}

namespace {

TEST(Verify, GoodExternalCalls) {
  test::goodKernel(
      calling("view %V: tensor<M x f32> = (d0) -> %T[d0] external g (%V, s, %C) "
              "{ op (m: parallel) ins(%V[m]) outs(%C[m]) { (v, c) -> mul(v, s) } }"));
  test::goodKernel(
      calling("external g (%T, s, %C) { alloc %U: tensor<M x f32> "
              "op (m: parallel) ins(%T[m]) outs(%U[m]) { (t, u) -> mul(t, s) } "
              "op (m: parallel) ins(%U[m]) outs(%C[m]) { (u, c) -> neg(u) } }"));
}

TEST(Verify, GoodLibraryCalls) {
  test::goodKernel(called("cblas gemm (m: m, n: n, k: k) beta s"));
  test::goodKernel(called("cblas gemm (m: m, n: n, k: k) alpha s",
                          "(m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) "
                          "outs(%C[m, n]) { (a, b, c) -> add(c, mul(s, mul(a, b))) }"));
  test::goodKernel(called("blis gemm (m:, n: n, k: k)"));  // in a loop over m
}

}  // namespace
}  // namespace einc::ir
