// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that are done together: on the tiles of one of them, or in loops that they share.
#include "compiler/ir/test_text.h"
#include "compiler/strategy/plan/apply.h"
#include "compiler/strategy/plan/prefixes.h"
#include "compiler/strategy/plan/test_steps.h"
#include "compiler/target/target.h"

namespace einc::strategy {
namespace {

using test::has;
using test::parsed;

// What a product starts from, the product, and what reads its results.
constexpr const char* kDense = R"(
    kernel @f(%A: tensor<M x K x f32>, %B: tensor<K x N x f32>, %b: tensor<N x f32>)
        -> (%Y: tensor<M x N x f32>) level tiled {
      alloc %T: tensor<M x N x f32>
      op (m: parallel, n: parallel) outs(%T[m, n]) { (t) -> 0.0_f32 }
      op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%T[m, n])
          { (a, b, t) -> add(t, mul(a, b)) }
      op (i: parallel, j: parallel) ins(%T[i, j], %b[j]) outs(%Y[i, j]) { (t, b, y) -> add(t, b) }
    })";
constexpr const char* kRows = R"(
    kernel @f(%X: tensor<M x N x f32>) -> (%Y: tensor<M x N x f32>) level tiled {
      alloc %E: tensor<M x N x f32>
      alloc %S: tensor<M x f32>
      op (m: parallel, n: parallel) ins(%X[m, n]) outs(%E[m, n]) { (x, e) -> exp(x) }
      op (q: parallel) outs(%S[q]) { (s) -> 0.0_f32 }
      op (i: parallel, j: reduction) ins(%E[i, j]) outs(%S[i]) { (e, s) -> add(s, e) }
      op (m: parallel, n: parallel) ins(%E[m, n], %S[m]) outs(%Y[m, n]) { (e, s, y) -> div(e, s) }
    })";

// The kernel with its ops done together; errors, one a line, go to `errors`.
std::string applied(const char* kernelText, const std::string& steps, std::string* errors = nullptr,
                    const char* target = "x86-64-v4") {
  ir::Kernel kernel = ir::test::goodKernel(kernelText);
  ir::Block block;
  std::vector<ir::StructuredOp> ops;
  for (ir::Stmt& stmt : kernel.body)
    if (auto* op = std::get_if<ir::StructuredOp>(&stmt.node))
      ops.push_back(*op);
    else
      block.push_back(stmt);
  transforms::Builder builder(kernel);
  ScheduleOptions options{target::find(target)};
  options.threads = options.target->device ? 1 : 2;
  std::vector<StepError> wrong;
  transforms::append(block, apply(builder, ops, 0, parsed(steps), options, wrong));
  kernel.body = std::move(block);
  for (const StepError& error : wrong)
    if (errors) *errors += error.message + "\n";
  if (!errors) EXPECT_TRUE(wrong.empty()) << wrong[0].message;
  if (wrong.empty())
    for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  return ir::print(kernel);
}

std::string refused(const char* kernel, const std::string& steps,
                    const char* target = "x86-64-v4") {
  std::string errors;
  applied(kernel, steps, &errors, target);
  EXPECT_FALSE(errors.empty()) << steps;
  return errors;
}

// A neighbour, and what is made of both.
constexpr const char* kPair = R"(
    kernel @f(%X: tensor<M x N x f32>) -> (%Y: tensor<1 x M x N x f32>) level tiled {
      alloc %L: tensor<2 x M x N x f32>
      op (m: parallel, n: parallel) ins(%X[m + 1, n] pad 0.0_f32) outs(%L[0, m, n]) { (x, l) -> x }
      op (m: parallel, n: parallel) ins(%X[m, n]) outs(%L[1, m, n]) { (x, l) -> mul(x, 3.0_f32) }
      op (i: parallel, j: parallel) ins(%L[0, i, j], %L[1, i, j]) outs(%Y[0, i, j])
          { (a, b, y) -> sub(a, b) }
    })";

TEST(Fuse, PositionByPosition) {
  const std::string text =
      applied(kPair,
              "tile m by 1 tile n by 16 keep (n: 16) of L on stack "
              "fuse op 0 by { when inside { vectorize (n: 16) } otherwise { vectorize (n: 16) } } "
              "fuse op 1 by { vectorize (n: 16) } fuse op 2 by { vectorize (j: 16) }");
  EXPECT_TRUE(has(text, "alloc %L_block: tensor<2 x 16 x f32> in stack")) << text;
  EXPECT_TRUE(has(text, "if 0 <= (m0 + 1) and (m0 + 1) < M {")) << text;
}

TEST(Fuse, AllThatIsReadIsInside) {
  const std::string fused =
      "{ fuse op 0 by { vectorize (n: 16) } fuse op 1 by { vectorize (n: 16) } "
      "fuse op 2 by { vectorize (j: 16) } } ";
  const std::string text =
      applied(kPair, "tile m by 1 tile n by 16 keep (n: 16) of L on stack when inside " + fused +
                         "otherwise " + fused);
  const size_t inside = text.find("if 0 <= (m0 + 1) and (m0 + 1) < M {"),
               otherwise = text.find("} else {");
  ASSERT_LT(inside, otherwise) << text;
  ASSERT_NE(otherwise, std::string::npos) << text;
  EXPECT_TRUE(has(text.substr(inside, otherwise - inside), "%X_at1_m0_n0[n]")) << text;
  EXPECT_TRUE(has(text.substr(otherwise), "%X_at_m0_n0[n]")) << text;
  EXPECT_TRUE(
      has(refused(kPair, "when inside { tile m by 1 } otherwise { tile m by 1 }"), "tile before"));
  EXPECT_TRUE(has(refused(kPair,
                          "tile m by 1 fuse op 0 by { vectorize (n: 16) } "
                          "when inside { } otherwise { }"),
                  "nothing is known to be read outside"));
}

TEST(Fuse, OnTheStackSizesAreNumbers) {
  EXPECT_EQ(refused(kPair,
                    "tile m by 1 keep (n: n) of L on stack fuse op 0 by { loops } "
                    "fuse op 1 by { loops } fuse op 2 by { loops }"),
            "on the stack sizes are numbers\n");
  EXPECT_EQ(refused(kPair,
                    "tile m by 1 tile n by 8192 keep (n: 8192) of L on stack "
                    "fuse op 0 by { loops } fuse op 1 by { loops } fuse op 2 by { loops }"),
            "of 1 to 32768 bytes are kept on the stack\n");
}

TEST(Fuse, OnTheTileOfResults) {
  std::string text =
      applied(kDense, "fuse op 0 fuse op 2 tile n by 48 tile m by 8 vectorize (m: 8, n: 48)");
  EXPECT_TRUE(has(text, "alloc %T_tile: tensor<8 x 48 x f32> in stack")) << text;
  EXPECT_TRUE(has(text, "outs(%T_part[m, n]) { (t_part) -> 0.0_f32 } vector (m: 8, n: 48)"))
      << text;
  EXPECT_FALSE(has(text, "outs(%T_n0_m0")) << text;

  // Sums of several tiles of k are kept.
  text = applied(kDense,
                 "fuse op 0 fuse op 2 when 1 <= k { let kc = min(k, 64) keep (m: m, n: n) "
                 "tile k by kc tile n by 48 tile m by 8 results (m: 8, n: 48) { tile m by 2 "
                 "vectorize (m: 2, n: 48) } }");
  EXPECT_TRUE(has(text, "alloc %sums: tensor<M x N x f32>")) << text;
  EXPECT_TRUE(has(text, "if (k0) == 0 {")) << text;
  EXPECT_TRUE(has(text, "vector (m: 2, n: 48)")) << text;
}

TEST(Fuse, ByStepsOfTheirOwn) {
  std::string text = applied(kDense,
                             "tile m by 64 fuse op 0 by { tile n by 16 vectorize (n: 16, m: 64) } "
                             "fuse op 2 by { loops } tile n by 48 tile m by 8 "
                             "vectorize (m: 8, n: 48)");
  EXPECT_FALSE(has(text, "T_tile")) << text;
  const size_t start = text.find("{ (t_m0_n0) -> 0.0_f32 } vector (n: 16, m: 64)"),
               sum = text.find("vector (m: 8, n: 48)"),
               reader = text.find("{ (t_m0, b_at, y_at_m0)");
  EXPECT_TRUE(start < sum && sum < reader && reader != std::string::npos) << text;

  // One in memory, one on the tile; parts of a sum.
  text = applied(kDense,
                 "fuse op 0 by { loops } fuse op 2 tile n by 48 tile m by 8 "
                 "vectorize (m: 8, n: 48)");
  EXPECT_TRUE(has(text, "%T_tile")) << text;
  text = applied(kDense,
                 "fuse op 0 by { loops } fuse op 2 by { loops } "
                 "parts k by 8 as x { loops } fill { loops } combine { loops } rest { loops }");
  EXPECT_TRUE(has(text, "x: parallel")) << text;
}

// What steps leave is chosen, each op on what there is of it there.
TEST(Fuse, WhatIsLeft) {
  std::string text = applied(kDense, "tile m by 64");
  EXPECT_TRUE(has(text, "outs(%T_m0[m, n]) { (t_m0) -> 0.0_f32 }")) << text;
  text = applied(kRows, "tile m by 8 fuse op 0 by { loops }");
  EXPECT_TRUE(has(text, "-> div(")) << text;
}

TEST(Fuse, SaysWhyNot) {
  const std::string both = "fuse op 0 fuse op 2 ", tile = "tile n by 48 tile m by 8 ",
                    vectors = "vectorize (m: 8, n: 48)";
  EXPECT_EQ(refused(kDense, tile + vectors), "op 0 is not done: fuse op 0 before\n");
  EXPECT_EQ(refused(kDense, "fuse op 1 "), "op 1 is not among the others: there are op 0, op 2\n");
  EXPECT_EQ(refused(kDense, both + "fuse op 0"), "op 0 is fused already\n");
  EXPECT_TRUE(has(refused(kDense, both + "loops"), "other ops are done before, or on a tile"));
  EXPECT_TRUE(has(refused(kDense, both + "parts k by 8 as x { } fill { } combine { } rest { }"),
                  "fuse op 0 by { }"));
  EXPECT_TRUE(
      has(refused(kDense, both + "cut k at 0 { loops } rest { loops }"), "inside 'results'"));
  EXPECT_TRUE(has(refused(kDense, both + tile + "vectorize (n: 48)"),
                  "'m' is an axis of the tile of results"));
  EXPECT_TRUE(has(refused(kDense, both + "results (m: 8, n: 48) { loops }"),
                  "'m' may have more than 8 positions"));
  EXPECT_TRUE(has(refused(kDense, both + "copy b (n) as x { loops }"), "input of another op"));
  EXPECT_TRUE(
      has(refused(kDense, both + "tile k by 4 " + tile + vectors), "where there are no terms"));
  const std::string inK = "when 1 <= k { tile k by 4 ";
  EXPECT_TRUE(
      has(refused(kDense, both + inK + tile + vectors + " }"), "kept: keep (m: m, n: n) before"));
  EXPECT_TRUE(has(refused(kDense, "when 1 <= k { keep (m: m, n: n) tile k by 4 fuse op 0 by { } }"),
                  "results are not finished"));
  EXPECT_TRUE(has(refused(kDense, both + "when 1 <= k { keep (m: m, n: n) tile k by 4 }"),
                  "end with a tile of results"));
}

TEST(Fuse, SumsHaveMemoryForAll) {
  auto kept = [](const std::string& keep, const std::string& tile = "tile k by 8") {
    return "fuse op 0 fuse op 2 let r = min(m, m * (k ceildiv 8 - 1)) when 1 <= k { " + keep + " " +
           tile + " tile n by 48 tile m by 8 vectorize (m: 8, n: 48) }";
  };
  applied(kDense, kept("keep (m: r, n: n)"));
  EXPECT_TRUE(has(refused(kDense, kept("keep (m: r, n: n)", "tile k by 4")),
                  "memory for other tiles of the reductions"));
  EXPECT_TRUE(has(refused(kDense, kept("keep (m: 4, n: n)")),
                  "'m' may have more positions than that: keep (m: m)"));
  EXPECT_TRUE(has(refused(kDense, kept("keep (m: n, n: n)")), "may have more positions"));
  EXPECT_TRUE(has(refused(kDense, kept("keep (m: m)")), "for each 'n', too"));
  EXPECT_TRUE(has(refused(kDense, kept("keep (m: m, n: n, k: k)")), "'k' is a reduction"));
  EXPECT_TRUE(has(refused(kDense, kept("keep (m: m, m: m, n: n)")), "'m' stands twice"));
  EXPECT_TRUE(has(refused(kDense, kept("keep (m: m, n: n) keep (m: m, n: n)")), "kept once"));
  EXPECT_TRUE(
      has(refused(kDense, kept("keep (m: m, n: n) tile k by 8 keep (m: m, n: n)")), "kept"));
  EXPECT_TRUE(has(refused(kDense, kept("keep (m: m, n: n) of T")), "for ops that share loops"));
}

TEST(SharedLoops, OpsAreDoneOnTheirTiles) {
  const std::string text =
      applied(kRows,
              "let rows = min(m, 8) tile m by rows on threads (100) keep (m: rows) of E "
              "keep (m: rows) of S fuse op 0 by { loops } fuse op 1 by { } fuse op 2 by { tile i "
              "by 1 loops } "
              "fuse op 3 by { tile n by 16 loops }");
  EXPECT_TRUE(has(text,
                  "tile m0 : m0_size = 0 .. M by rows parallel on threads from "
                  "(100 floordiv (N * rows * 3 + rows + 1) + 1) {"))
      << text;
  EXPECT_TRUE(has(text, "alloc %E_block: tensor<rows x N x f32>")) << text;
  EXPECT_TRUE(has(text, "alloc %S_block: tensor<rows x f32>")) << text;
  EXPECT_TRUE(has(text, "ins(%E_block_part")) << text;
}

// Positions in a payload are those in the whole op.
TEST(SharedLoops, PayloadsKnowWhereTheyAre) {
  const std::string text =
      applied(R"(
    kernel @f(%X: tensor<M x N x f32>) -> (%Y: tensor<M x N x f32>) level tiled {
      alloc %E: tensor<M x N x f32>
      op (m: parallel, n: parallel) ins(%X[m, n]) outs(%E[m, n]) { (x, e) -> add(x, cast<f32>(index(m))) }
      op (i: parallel, j: parallel) ins(%E[i, j]) outs(%Y[i, j]) { (e, y) -> add(e, cast<f32>(index(i))) }
    })",
              "tile m by 8 fuse op 0 by { } fuse op 1 by { tile i by 1 loops }");
  EXPECT_TRUE(has(text, "index(m + m0)") || has(text, "index(m0 + m)")) << text;
  EXPECT_TRUE(has(text, "index(i0 + m0)") || has(text, "index(m0 + i0)")) << text;
}

TEST(SharedLoops, SaysWhyNot) {
  EXPECT_EQ(refused(kRows, "fuse op 1 by { }"), "op 0 comes before: fuse op 0 by { }\n");
  EXPECT_EQ(refused(kRows, "fuse op 4 by { }"),
            "op 4 is not among these: there are op 0 to op 3\n");
  EXPECT_EQ(refused(kRows, "fuse op 0 by { } fuse op 0 by { }"), "op 0 is done already\n");
  EXPECT_EQ(refused(kRows, "fuse op 0"), "expected its steps: fuse op 0 by { }\n");
  EXPECT_TRUE(has(refused(kRows, "tile n by 4"), "those that all ops have are m"));
  EXPECT_TRUE(has(refused(kRows, "tile n_op0 by 4"), "those that all ops have are m"));
  EXPECT_TRUE(has(refused(kRows, "vectorize (m: 4)"), "one by one: fuse op 0 by { } before"));
  EXPECT_TRUE(has(refused(kRows, "when aligned(X, m, 16) { }"), "ask in fuse op 0"));
  EXPECT_EQ(refused(kRows, "when contiguous(X, j) { }"), "no op here has X along 'j'\n");
  EXPECT_TRUE(has(refused(kRows, "keep (m: m) of E in workgroup"), "has no workgroups"));
  EXPECT_TRUE(has(refused(kRows, "keep (m: m)"), "a local of the def"));
  EXPECT_TRUE(has(refused(kRows, "keep (m: m) of Y"), "'Y' is no local"));
  EXPECT_TRUE(has(refused(kRows, "keep (m: 4) of E"), "may have more positions"));
  EXPECT_TRUE(has(refused(kRows, "keep () of E"), "how many positions along 'm'"));
  EXPECT_TRUE(has(refused(kRows, "tile m by 1 keep (m: m) of E"), "no"));
  EXPECT_TRUE(has(refused(kRows, "fuse op 0 by { } keep (m: m) of E"), "used by other ops"));
  const std::string all = "fuse op 0 by { } fuse op 1 by { } fuse op 2 by { } fuse op 3 by { } ";
  EXPECT_TRUE(has(refused(kRows, all + "tile m by 4"), "nothing follows"));
}

constexpr const char* kRowSums = R"(
    kernel @f(%X: tensor<M x H x W x f32>, %b: tensor<M x f32>) -> (%y: tensor<M x f32>, %z: tensor<M x f32>)
        level tiled {
      op (m: parallel) ins(%b[m]) outs(%y[m]) { (b, y) -> b }
      op (m: parallel, h: reduction, w: reduction) ins(%X[m, h, w]) outs(%y[m]) { (x, y) -> add(y, x) }
      op (i: parallel) ins(%y[i]) outs(%z[i]) { (y, z) -> exp(y) }
    })";

TEST(SharedLoops, AWorkgroupKeepsWhatItsInvocationsShare) {
  const std::string text =
      applied(kRowSums,
              "bind m by 4 to workgroups keep (m: 4) of y in workgroup "
              "fuse op 0 by { loops } fuse op 1 by { lanes h, w over 32 loops } "
              "fuse op 2 by { loops }",
              nullptr, "vulkan");
  EXPECT_TRUE(has(text, "alloc %y_rows: tensor<4 x f32> in workgroup")) << text;
  EXPECT_TRUE(has(text, "view %y_part: tensor<m0_size x f32> = (m) -> %y_rows[m]")) << text;
  EXPECT_TRUE(has(text, "alloc %parts: tensor<4 x 32 x f32> in workgroup")) << text;
  EXPECT_TRUE(has(text, "outs(%y_m0[m])")) << text;  // it is an output: stored behind all
}

TEST(SharedLoops, AnInvocationKeepsValuesOnItsStack) {
  const std::string text =
      applied(kRowSums, "bind m to invocations keep () of y on stack fuse op 0 by { loops }",
              nullptr, "vulkan");
  EXPECT_TRUE(has(text, "alloc %y_private: tensor<f32> in stack")) << text;
  EXPECT_TRUE(has(text, "parallel on grid {")) << text;
  EXPECT_TRUE(has(text, "outs(%y_m0[])")) << text;
}

TEST(SharedLoops, WhatIsOnlyReadIsNotStored) {
  const std::string text = applied(
      kRowSums, "bind m by 4 to workgroups keep (m: 4) of b in workgroup", nullptr, "vulkan");
  EXPECT_TRUE(has(text, "op (m: parallel) ins(%b_m0[m]) outs(%b_part[m])")) << text;
  EXPECT_FALSE(has(text, "outs(%b_m0[m])")) << text;
}

TEST(SharedLoops, SaysWhyNothingIsKeptOnADevice) {
  const auto why = [](const std::string& steps) { return refused(kRowSums, steps, "vulkan"); };
  EXPECT_TRUE(has(why("keep (m: m) of y in workgroup"), "bind one to workgroups before"));
  EXPECT_TRUE(has(why("bind m by 4 to workgroups keep (m: 4) of y on stack"),
                  "bind all to invocations before"));
  EXPECT_TRUE(has(why("bind m by 4 to workgroups keep (m: 4) of y"), "in workgroup, or on stack"));
  EXPECT_TRUE(has(why("bind m by 8 to workgroups keep (m: 4) of y in workgroup"),
                  "may have more positions"));
  EXPECT_TRUE(has(why("bind m by 8 to workgroups keep () of y in workgroup"),
                  "how many positions along 'm'"));
  EXPECT_TRUE(has(why("bind m by 4 to workgroups keep (m: 4) of q in workgroup"), "has 'q'"));
  EXPECT_TRUE(has(why("bind m by 4 to workgroups keep (m: 4) of X in workgroup"),
                  "of which a position has several elements"));
  EXPECT_TRUE(
      has(why("bind m by 4 to workgroups fuse op 0 by { loops } keep (m: 4) of y in workgroup"),
          "is done already"));
  EXPECT_TRUE(has(why("bind m by 512 to workgroups keep (m: 512) of y in workgroup "
                      "keep (m: 512) of z in workgroup keep (m: 512) of b in workgroup "
                      "keep (m: 4096) of y in workgroup"),
                  "bytes of memory, and with this it would take"));
}

TEST(SharedLoops, AnOpIsComputedWhereItIsRead) {
  std::string text = applied(kRows, "inline op 0 tile q by 8 keep (q: 8) of S");
  EXPECT_FALSE(has(text, "outs(%E")) << text;
  EXPECT_TRUE(has(text, "exp(x_q0")) << text;
  EXPECT_EQ(refused(kRows, "inline op 3"), "'Y', which op 3 writes, is used by others, too\n");
  EXPECT_EQ(refused(kRows, "inline op 2"),
            "op 2 cannot be computed where 'S' is read: it does not write all of it\n");
  EXPECT_EQ(refused(kRows, "inline op 4"), "there is no op 4 among these\n");
  EXPECT_EQ(refused(kRows, "inline op 0 inline op 0"), "there is no op 0 among these\n");
  EXPECT_TRUE(has(refused(kRows, "tile m by 8 inline op 0"), "before all loops"));
  EXPECT_TRUE(has(test::refused(test::kMap, "inline op 0"), "among those that share loops"));
}

// One list for what the memory of parts starts from, and for the parts; one for what combines them,
// and all other ops.
TEST(SharedLoops, PartsOfOneOfTheOps) {
  const std::string parts =
      "parts h, w by 64 as p of op 1 together { bind p to workgroups bind m by 4 to workgroups "
      "fuse op 0 by { loops } fuse op 1 by { lanes h over 32 loops } } ";
  const std::string text =
      applied(kRowSums,
              parts +
                  "combine { bind m to invocations keep () of y on stack "
                  "fuse op 0 by { loops } fuse op 1 by { tile p by 8 loops } }",
              nullptr, "vulkan");
  EXPECT_TRUE(has(text, "alloc %y_parts: tensor<((H * W) floordiv 64) x M x f32>")) << text;
  EXPECT_TRUE(has(text, "alloc %y_private: tensor<f32> in stack")) << text;
  EXPECT_TRUE(has(text, "by 8 reduction {")) << text;
  const auto why = [](const std::string& steps) { return refused(kRowSums, steps, "vulkan"); };
  EXPECT_TRUE(has(why("parts h by 8 as p { } fill { } combine { } rest { }"), "which of the ops"));
  EXPECT_TRUE(has(why("parts h by 8 as p of op 5 together { } combine { }"), "there is no op 5"));
  EXPECT_TRUE(
      has(why("parts i by 8 as p of op 2 together { } combine { }"), "may read what an op"));
  EXPECT_TRUE(has(why("parts m by 8 as p of op 1 together { } combine { }"), "is no reduction"));
  EXPECT_TRUE(has(why("parts h by H as p of op 1 together { } combine { }"), "1 position or more"));
  EXPECT_TRUE(has(why("tile m by 8 parts h by 8 as p of op 1 together { } combine { }"),
                  "before all loops"));
  // Of an op by itself; on a CPU, too.
  EXPECT_TRUE(has(test::applied(test::kSum,
                                "parts n by 8 as p together { tile p by 1 fuse op 0 by { loops } } "
                                "combine { fuse op 0 by { loops } fuse op 1 by { loops } }"),
                  "by 1 parallel {"));
  EXPECT_TRUE(has(test::refused(test::kSum, "parts n by 8 as p of op 1 together { } combine { }"),
                  "for ops that share loops"));
}

// Each beginning of the steps is a whole kernel, or refused.
TEST(Prefixes, OfRegions) {
  const ir::Kernel kernel = ir::test::goodKernel(kDense);
  ScheduleOptions options{target::find("x86-64-v4")};
  const Steps steps = parsed("fuse op 0 fuse op 2 tile m by 8 tile n by 8 vectorize (m: 8, n: 8)");
  size_t whole = 0;
  for (const Prefix& prefix : prefixesOf(steps))
    if (auto form = withSteps(kernel, 0, prefix.steps, options, 3)) {
      ++whole;
      EXPECT_TRUE(ir::verify(*form).empty());
    }
  EXPECT_EQ(whole, 5U);
}

}  // namespace
}  // namespace einc::strategy
