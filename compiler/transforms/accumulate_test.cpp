// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/accumulate.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::count;
using test::has;

// The op of `text`, in lanes along n; the result is the same around these sizes.
std::string accumulated(const std::string& text, const LanesOfSum& lanes,
                        const std::set<int64_t>& sizes = {}) {
  ir::Kernel kernel = ir::test::goodKernel(test::at("tiled", text));
  const auto op = std::get<ir::StructuredOp>(kernel.body[0].node);
  Builder builder(kernel);
  kernel.body = accumulateInLanes(builder, op, lanes);
  test::expectComputes(test::at("tensors", text), kernel, sizes);
  return ir::print(kernel);
}
// The largest value, and where it stands first.
std::string pairs(const std::string& n = "N") {
  return "kernel @f(%X: tensor<" + n + R"( x i32>) -> (%v: tensor<i32>, %p: tensor<i64>) level @ {
      op (n: reduction) ins(%X[n]) outs(%v[], %p[])
          { (x, v, p) -> select(or(gt(v, x), and(eq(v, x), le(p, index(n)))), v, x),
                         select(or(gt(v, x), and(eq(v, x), le(p, index(n)))), p, index(n)) }
          combine { (v, p, w, q) -> select(or(gt(v, w), and(eq(v, w), le(p, q))), v, w),
                                    select(or(gt(v, w), and(eq(v, w), le(p, q))), p, q) }
          neutral (-2147483648_i32, 9223372036854775807_i64)
    })";
}
std::string sum(const std::string& payload, const std::string& type, const std::string& n = "N") {
  return "kernel @f(%X: tensor<" + n + " x " + type + ">) -> (%v: tensor<" + type +
         ">) level @ { op (n: reduction) ins(%X[n]) outs(%v[]) { (x, v) -> " + payload + " } }";
}
LanesOfSum along(int64_t width, bool masks, std::optional<int64_t> ahead = {}) {
  const auto asked = ahead ? std::optional(ir::Ahead{"n", *ahead}) : std::nullopt;
  return {"n", width, asked, masks};
}

TEST(Accumulate, LanesThenHalvesOfThem) {
  const std::string text = accumulated(pairs(), along(4, true), {4, 8});
  EXPECT_TRUE(
      has(text, "alloc %lanes: tensor<4 x i32> in stack alloc %lanes1: tensor<4 x i64> in stack"))
      << text;
  EXPECT_TRUE(has(text,
                  "op (n: parallel) outs(%lanes[n], %lanes1[n]) { (lanes, lanes1) -> "
                  "-2147483648_i32, 9223372036854775807_i64 } vector (n: 4)"))
      << text;
  EXPECT_TRUE(has(text,
                  "op (n_block: reduction, n: parallel) ins(%X_blocks_n_block0[n_block, n]) "
                  "outs(%lanes[n], %rounds[n])"))
      << text;
  EXPECT_TRUE(has(text,
                  "view %X_rest: tensor<(N - (N floordiv 4) * 4) x i32> = (n) -> "
                  "%X[(N floordiv 4) * 4 + n]"))
      << text;
  // Lanes 2 and 3 into 0 and 1, in a vector, lane 1 into 0, and that into what was there.
  EXPECT_TRUE(has(text,
                  "view %lanes_other: tensor<2 x i32> = (n) -> %lanes[n + 2] "
                  "view %lanes_part2: tensor<2 x i32> = (n) -> %lanes[n]"))
      << text;
  EXPECT_TRUE(has(text,
                  "view %lanes_other2: tensor<1 x i32> = (n) -> %lanes[n + 1] "
                  "view %lanes_part4: tensor<1 x i32> = (n) -> %lanes[n]"))
      << text;
  EXPECT_EQ(count(text, "vector (n: 2)"), 1U) << text;
  EXPECT_EQ(count(text, "vector (n: 1)"), 0U) << text;
  EXPECT_TRUE(has(text, "view %lanes_other4: tensor<i32> = () -> %lanes[0]")) << text;
  EXPECT_TRUE(has(text, "op () ins(%lanes_other4[], %lanes_other5[]) outs(%v[], %p[])")) << text;
}

// Of 1, 2 and 4 lanes: so many steps combine halves, and one more lane 0 with what was there.
// For a target without vectors: loops, of which the innermost is along the lanes.
TEST(Accumulate, LanesInLoops) {
  LanesOfSum lanes = along(4, false);
  lanes.vectors = false;
  for (const std::string& text : {pairs(), sum("add(v, x)", "i32")}) {
    const std::string made = accumulated(text, lanes, {3, 4, 5, 8, 11});
    EXPECT_FALSE(has(made, "vector (")) << made;
    EXPECT_TRUE(has(made, "by 1 reduction")) << made;
    EXPECT_FALSE(has(made, "rounds")) << made;
  }
}

TEST(Accumulate, WidthsArePowersOfTwo) {
  auto merges = [](int64_t width) {
    return count(accumulated(pairs(), along(width, true), {width, 2 * width}), "view %lanes_other");
  };
  EXPECT_EQ(merges(1), 2U);
  EXPECT_EQ(merges(2), 4U);
  EXPECT_EQ(merges(4), 6U);
  EXPECT_EQ(merges(8), 8U);
}

// No whole vector, nothing left, both, and no position at all.
TEST(Accumulate, OfKnownExtents) {
  auto at = [](int64_t extent) {
    return accumulated(pairs(std::to_string(extent)), along(4, true));
  };
  auto blocks = [](const std::string& text) { return has(text, "view %X_blocks"); };
  auto rest = [](const std::string& text) { return has(text, "view %X_rest"); };
  EXPECT_TRUE(!blocks(at(0)) && !rest(at(0))) << at(0);
  EXPECT_TRUE(!blocks(at(3)) && rest(at(3))) << at(3);
  EXPECT_TRUE(blocks(at(4)) && !rest(at(4))) << at(4);
  EXPECT_TRUE(blocks(at(5)) && rest(at(5))) << at(5);
  EXPECT_TRUE(blocks(at(8)) && !rest(at(8))) << at(8);
}

// Lanes behind the end are written, and keep what they have; without masks there are loops.
TEST(Accumulate, WhatIsLeftWithMasksOrInLoops) {
  const std::string masked = accumulated(sum("add(v, x)", "i32"), along(4, true), {4});
  EXPECT_TRUE(has(masked,
                  "select(lt(index(n), index(N - (N floordiv 4) * 4)), add(lanes_part, x_rest), "
                  "lanes_part) } vector (n: 4)"))
      << masked;
  const std::string loops = accumulated(sum("add(v, x)", "i32"), along(4, false), {4});
  EXPECT_FALSE(has(loops, "select(lt(index(n)")) << loops;
  EXPECT_EQ(count(masked, "vector (n: 4)"), count(loops, "vector (n: 4)") + 1) << loops;
}

TEST(Accumulate, WholeVectorsAskForWhatComes) {
  EXPECT_TRUE(has(accumulated(pairs(), along(4, true, 64)), "vector (n: 4) ahead n 64"));
  EXPECT_FALSE(has(accumulated(pairs(), along(4, true)), "ahead"));
}

TEST(Accumulate, ByTheFunctionOfThePayload) {
  for (const char* payload : {"add(v, x)", "mul(v, x)", "max(v, x)", "min(x, v)"}) {
    accumulated(sum(payload, "i64"), along(4, true), {4});
    accumulated(sum(payload, "f32"), along(8, false), {8});
  }
  EXPECT_TRUE(has(accumulated(sum("max(v, x)", "f32"), along(2, true)), "-inf_f32"));
  EXPECT_TRUE(has(accumulated(sum("min(v, x)", "f32"), along(2, true)), "(lanes) -> inf_f32"));
}

// The largest element of a matrix, its position computed so; the reductions in that order.
std::string largest(const std::string& place, const std::string& order) {
  const std::string better = "or(gt(x, v), and(eq(x, v), lt(" + place + ", p)))";
  return "kernel @f(%X: tensor<M x N x i32>) -> (%v: tensor<i32>, %p: tensor<i64>) level @ { op (" +
         order + ") ins(%X[m, n]) outs(%v[], %p[]) { (x, v, p) -> select(" + better +
         ", x, v), select(" + better + ", " + place +
         ", p) } combine { (v, p, w, q) -> select(or(gt(w, v), and(eq(w, v), lt(q, p))), w, v), "
         "select(or(gt(w, v), and(eq(w, v), lt(q, p))), q, p) } "
         "neutral (-2147483648_i32, 9223372036854775807_i64) }";
}

// Positions are counted if they ascend where n is the innermost loop, whatever the op's order; also in several parts.
TEST(Accumulate, PositionsThatAscend) {
  const std::string rows = "add(mul(index(m), index(N)), index(n))";
  const std::string columns = "add(mul(index(n), index(M)), index(m))";
  for (const std::string& place : {rows, columns, std::string("index(n)")})
    for (const char* order : {"m: reduction, n: reduction", "n: reduction, m: reduction"}) {
      const std::string text = accumulated(largest(place, order), along(4, true), {4, 9});
      EXPECT_EQ(has(text, "%rounds"), place == rows) << text;
    }
  LanesOfSum few = along(2, true);
  few.mostCounted = 2;
  EXPECT_TRUE(has(accumulated(pairs(), few, {2, 3, 4, 5, 6, 9}), "by 2 reduction"));
  EXPECT_TRUE(
      has(accumulated(largest(rows, "m: reduction, n: reduction"), few, {2, 9}), "by 2 reduction"));
}

// Other reductions are loops around the lanes, which all positions of them share.
TEST(Accumulate, SeveralReductions) {
  const std::string text = accumulated(
      "kernel @f(%X: tensor<K x N x i32>) -> (%v: tensor<i32>) level @ { op (k: reduction, "
      "n: reduction) ins(%X[k, n]) outs(%v[]) { (x, v) -> add(v, mul(x, cast<i32>(index(k)))) } }",
      along(4, true), {4});
  EXPECT_TRUE(has(text, "tile k0 : k0_size = 0 .. K by 1 reduction {")) << text;
  EXPECT_TRUE(has(text, "index(k0)")) << text;
  EXPECT_LT(text.find("alloc %lanes"), text.find("tile k0")) << text;
  EXPECT_LT(text.find("tile k0"), text.find("view %lanes_other")) << text;
}

}  // namespace
}  // namespace einc::transforms
