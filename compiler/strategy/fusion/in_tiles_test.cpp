// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/in_tiles.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/transforms/test_forms.h"

namespace einc::strategy {
namespace {

using transforms::test::has;

// Two sums of windows of an image of that many columns.
std::string blur(const std::string& width, const std::string& height = "H") {
  return "kernel @f(%X: tensor<(" + height + " + 4) x " + width +
         " x f32>, %K: tensor<3 x f32>) -> (%O: tensor<" + height + " x " + width +
         " x f32>) level tensors { local %A: tensor<(" + height + " + 2) x " + width + R"( x f32>
      op (y: parallel, x: parallel) outs(%A[y, x]) { (a) -> 0.0_f32 }
      op (y: parallel, x: parallel, k: reduction) ins(%X[y + k, x], %K[k]) outs(%A[y, x]) { (p, k, a) -> add(a, mul(p, k)) }
      op (y: parallel, x: parallel) outs(%O[y, x]) { (o) -> 0.0_f32 }
      op (y: parallel, x: parallel, k: reduction) ins(%A[y + k, x], %K[k]) outs(%O[y, x]) { (a, k, o) -> add(o, mul(a, k)) }
    })";
}

InTiles made(const std::string& spec, const std::vector<Setting>& settings = {},
             const std::string& target = "x86-64-v3") {
  ScheduleOptions options{target::find(target)};
  options.settings = settings;
  return inTiles(ir::test::goodKernel(spec), options);
}
Setting tiles(unsigned first, unsigned last, const Steps& steps) {
  return {"f", first, kTiles, "", steps, last};
}
Step by(const std::string& iterator, int64_t size) {
  return Step(TileStep{iterator, affine::Expr::constant(size)});
}

TEST(InTiles, RowsAsTheSecondCacheHasRoomFor) {
  const InTiles done = made(blur("4096", "4096"));
  ASSERT_EQ(done.done.size(), 1u);
  EXPECT_TRUE(has(done.done[0].text, "of A no more than a tile needs is kept"))
      << done.done[0].text;
  EXPECT_TRUE(has(ir::print(done.kernel), "tile y0 : y0_size = 0 .. 4096 by 8 parallel"))
      << ir::print(done.kernel);
}

TEST(InTiles, WhereSizesAreNotKnownTheKernelAsks) {
  const std::string spec = blur("W");
  const InTiles done = made(spec);
  EXPECT_TRUE(has(ir::print(done.kernel), "bound y_tile = min(H, 16384 floordiv (W + 1) + 8)"))
      << ir::print(done.kernel);
  // Where one tile is all, there is none.
  EXPECT_TRUE(has(ir::print(done.kernel), "if y_tile < H { tile y0")) << ir::print(done.kernel);
  transforms::test::expectComputes(spec, done.kernel, {7, 9});
}

TEST(InTiles, WhatStaysInTheCacheIsNotCut) {
  const InTiles done = made(blur("64", "64"));
  ASSERT_EQ(done.done.size(), 1u);
  EXPECT_EQ(done.done[0].text, "all that they leave for each other stays in the second cache");
  EXPECT_TRUE(done.done[0].tiles.empty());
}

// ---- On a device ----

TEST(InTiles, AWorkgroupDoesATile) {
  const std::string spec = blur("W");
  const InTiles done = made(spec, {}, "vulkan");
  const std::string text = ir::print(done.kernel);
  EXPECT_TRUE(has(text, "parallel on workgroups x { tile x0")) << text;
  // All sizes of memory are known, so that nothing is asked.
  EXPECT_FALSE(has(text, "if ")) << text;
  EXPECT_FALSE(has(text, "local %A: tensor<(")) << text;
  transforms::test::expectComputes(spec, done.kernel, {7, 9, 40});
}

// Two sums of windows of a size that only a call says.
std::string windows() {
  return R"(
    kernel @f(%X: tensor<(H + K + L - 2) x W x f32>, %K: tensor<K x f32>, %L: tensor<L x f32>) -> (%O: tensor<H x W x f32>)
        level tensors { local %A: tensor<(H + L - 1) x W x f32> local %R: tensor<(H + L - 1) x W x f32>
      op (y: parallel, x: parallel) outs(%A[y, x]) { (a) -> 0.0_f32 }
      op (y: parallel, x: parallel, k: reduction) ins(%X[y + k, x], %K[k]) outs(%A[y, x]) { (p, k, a) -> add(a, mul(p, k)) }
      op (y: parallel, x: parallel) ins(%A[y, x]) outs(%R[y, x]) { (a, r) -> max(a, 0.0_f32) }
      op (y: parallel, x: parallel) outs(%O[y, x]) { (o) -> -inf_f32 }
      op (y: parallel, x: parallel, l: reduction) ins(%R[y + l, x], %L[l]) outs(%O[y, x]) { (r, l, o) -> max(o, mul(r, l)) }
    })";
}

// What is computed element by element stands in the place of what it is computed from; a window that is too long is for others.
TEST(InTiles, MemoryOfAWorkgroupIsOfKnownSizes) {
  const std::string spec = windows();
  const InTiles done = made(spec, {tiles(0, 4, {by("y", 4), by("x", 8)})}, "vulkan");
  ASSERT_TRUE(done.errors.empty()) << done.errors[0].message;
  ASSERT_EQ(done.done.size(), 1u);
  EXPECT_EQ(
      done.done[0].text,
      "tile by tile of 4 'y' and 8 'x'; of A no more than a tile needs is kept; where (L + 3) "
      "<= 6, else one by one");
  EXPECT_TRUE(has(ir::print(done.kernel), "local %A: tensor<6 x 8 x f32>"))
      << ir::print(done.kernel);
  transforms::test::expectComputes(spec, done.kernel, {2, 3, 4, 5, 9});
}

TEST(InTiles, AWorkgroupsMemoryIsLimited) {
  struct {
    Steps tiles;
    const char* why;
  } const cases[] = {
      {{by("y", 64), by("x", 64)},
       "a workgroup has 16384 bytes of memory, and what is kept of a tile would take 16896: "
       "expected smaller tiles, or tiles of more loops"},
      {{by("y", 1 << 20)},
       "a workgroup has 16384 bytes of memory, and what is kept of a tile would take more: "
       "expected smaller tiles, or tiles of more loops"},
      {{Step(TileStep{"y", affine::Expr::constant(8) +
                               affine::Expr::constant(99).floorDiv(affine::Expr::symbol("W"))})},
       "a workgroup's tiles are of a known size: tile y by 8"},
  };
  for (const auto& one : cases) {
    const InTiles done = made(blur("W"), {tiles(0, 3, one.tiles)}, "vulkan");
    ASSERT_EQ(done.errors.size(), 1u) << one.why;
    EXPECT_EQ(done.errors[0].message, one.why);
  }
}

// Products of many terms, much of which would be computed twice, take longer than memory does.
TEST(InTiles, WhereDevicesComputeLongerThanTheyRead) {
  auto text = [](const std::string& terms) {
    const InTiles done = made("kernel @f(%X: tensor<(H + 2) x " + terms + " x f32>, %K: tensor<" +
                                  terms + R"( x F x f32>, %L: tensor<3 x f32>)
        -> (%O: tensor<H x F x f32>) level tensors { local %A: tensor<(H + 2) x F x f32>
      op (y: parallel, f: parallel) outs(%A[y, f]) { (a) -> 0.0_f32 }
      op (y: parallel, f: parallel, c: reduction) ins(%X[y, c], %K[c, f]) outs(%A[y, f]) { (p, k, a) -> add(a, mul(p, k)) }
      op (y: parallel, f: parallel) outs(%O[y, f]) { (o) -> 0.0_f32 }
      op (y: parallel, f: parallel, l: reduction) ins(%A[y + l, f], %L[l]) outs(%O[y, f]) { (a, l, o) -> add(o, mul(a, l)) }
    })",
                              {}, "vulkan");
    return done.done.empty() ? "" : done.done[0].text;
  };
  EXPECT_TRUE(has(text("2"), "of A no more than a tile needs is kept")) << text("2");
  EXPECT_FALSE(has(text("2"), "where")) << text("2");
  EXPECT_EQ(
      text("65536"),
      "what tiles share would be computed again, which takes longer than to write and read it "
      "as a whole");
  EXPECT_TRUE(has(text("C"), "; where C <= ")) << text("C");
}

// A product does so much with each element that it hardly matters where it comes from.
TEST(InTiles, ContractionsOfContractionsAreNotCut) {
  const std::string spec = R"(
    kernel @f(%X: tensor<M x K x f32>, %U: tensor<K x L x f32>, %V: tensor<3 x L x N x f32>)
        -> (%O: tensor<(M - 2) x N x f32>) level tensors { local %A: tensor<M x L x f32>
      op (m: parallel, l: parallel) outs(%A[m, l]) { (a) -> 0.0_f32 }
      op (m: parallel, l: parallel, k: reduction) ins(%X[m, k], %U[k, l]) outs(%A[m, l]) { (x, u, a) -> add(a, mul(x, u)) }
      op (m: parallel, n: parallel) outs(%O[m, n]) { (o) -> 0.0_f32 }
      op (m: parallel, n: parallel, l: reduction, j: reduction) ins(%A[m + j, l], %V[j, l, n]) outs(%O[m, n])
          { (a, v, o) -> add(o, mul(a, v)) }
    })";
  EXPECT_TRUE(made(spec).done.empty());
  const InTiles asked = made(spec, {tiles(0, 3, {by("m", 4)})});
  EXPECT_TRUE(asked.errors.empty());
  EXPECT_EQ(asked.done.size(), 1u);
  transforms::test::expectComputes(spec, asked.kernel, {4, 5});
}

// What the last op writes may be in the place of what the first one reads again for the next tile.
TEST(InTiles, ResultsInThePlaceOfInputs) {
  const InTiles done = made(R"(
    kernel @f(%X: tensor<H x W x f32>) -> (%O: tensor<H x W x f32>) level tensors { local %A: tensor<H x W x f32>
      op (y: parallel, x: parallel) ins(%X[y, x]) outs(%A[y, x]) { (p, a) -> add(p, 1.0_f32) }
      op (y: parallel, x: parallel) ins(%A[y + 1, x] pad 0.0_f32, %A[y, x]) outs(%O[y, x]) { (a, b, o) -> sub(a, b) }
    })");
  ASSERT_EQ(done.done.size(), 1u);
  EXPECT_EQ(done.done[0].text, "'X' may be overwritten by 'O', and is read again");
}

// More rows of a result than the last op has, which another op reads.
TEST(InTiles, WhatOthersReadIsMadeAsAWhole) {
  const std::string spec = R"(
    kernel @f(%X: tensor<(H + 3) x f32>, %K: tensor<3 x f32>) -> (%O: tensor<H x f32>, %P: tensor<(H + 1) x f32>)
        level tensors { local %B: tensor<(H + 3) x f32> local %A: tensor<(H + 1) x f32>
      op (y: parallel) ins(%X[y]) outs(%B[y]) { (p, b) -> p }
      op (y: parallel) outs(%A[y]) { (a) -> 0.0_f32 }
      op (y: parallel, k: reduction) ins(%B[y + k], %K[k]) outs(%A[y]) { (b, k, a) -> add(a, mul(b, k)) }
      op (y: parallel) ins(%A[y] pad 0.0_f32) outs(%O[y]) { (a, o) -> a }
      op (y: parallel) ins(%A[H - y]) outs(%P[y]) { (a, p) -> a }
    })";
  transforms::test::expectComputes(spec, made(spec).kernel, {9});
  for (unsigned last : {2, 3, 4})
    transforms::test::expectComputes(spec, made(spec, {tiles(0, last, {by("y", 2)})}).kernel, {5});
}

TEST(InTiles, AUserHasTheLastWord) {
  const std::string spec = blur("W");
  const InTiles none = made(spec, {tiles(0, 3, {})});
  EXPECT_TRUE(none.errors.empty());
  EXPECT_EQ(ir::print(none.kernel), ir::print(ir::test::goodKernel(spec)));
  for (int64_t size : {1, 2, 3}) {
    const InTiles own = made(spec, {tiles(0, 3, {by("x", size), by("y", 2)})});
    EXPECT_TRUE(own.errors.empty());
    transforms::test::expectComputes(spec, own.kernel, {size});
  }
  struct {
    Setting setting;
    const char* why;
  } const cases[] = {
      {tiles(0, 3, {by("y", 0)}), "expected tiles of 1 to 1073741824 positions: tile y by 8"},
      {tiles(0, 3, {by("k", 2)}), "'k' is no loop over results"},
      {tiles(0, 3,
             {Step(TileStep{"y", affine::Expr::constant(9).floorDiv(affine::Expr::symbol("Z")) +
                                     affine::Expr::constant(1)})}),
       "expected tiles of 1 to 1073741824 positions: tile y by 8"},
      {tiles(0, 3, {Step(LoopsStep{})}),
       "expected tiles of 1 to 1073741824 positions: tile y by 8"},
      {tiles(0, 1, {by("y", 2)}), "nothing of these is for each other alone"},
      {tiles(2, 9, {by("y", 2)}),
       "ops 2 to 9 do not stand one behind the other, or others are in tiles already; there are 4 "
       "ops"},
  };
  for (const auto& one : cases) {
    const InTiles done = made(spec, {one.setting});
    ASSERT_EQ(done.errors.size(), 1u) << one.why;
    EXPECT_EQ(done.errors[0].message, one.why);
  }
}

}  // namespace
}  // namespace einc::strategy
