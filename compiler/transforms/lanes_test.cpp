// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/lanes.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

// What a region has, with its protected members shown.
class Shown : public Lanes {
 public:
  Shown(const ir::Vector& region, const VectorShape& shape) : Lanes(region, shape) {
    for (const ir::Stmt& stmt : region.body)
      if (auto* let = std::get_if<ir::Let>(&stmt.node)) variables_[let->name] = let->axes;
  }
  // "n: 0+16 16+1"
  std::string parts() const {
    std::string text = lanesAxis_ + ":";
    for (const Chunk& chunk : chunks_)
      text += " " + std::to_string(chunk.offset) + "+" + std::to_string(chunk.width);
    return text;
  }
  const std::vector<int64_t>& widths() const { return widths_; }
};

struct Region {
  Region(const std::string& axes, const std::string& body, const VectorShape& shape)
      : kernel(ir::test::goodKernel(
            "kernel @f(%A: tensor<M x N x f32>, %B: tensor<N x M x f32>, %D: tensor<M x N x f64>, "
            "%H: tensor<M x N x f16>) -> (%C: tensor<M x N x f32>, %E: tensor<N x M x f32>, %S: "
            "tensor<M x f32>) level vector { vector (" +
            axes + ") {" + body +
            "} for i = 0 .. M parallel { %S[i] = 0.0_f32 for j = 0 .. N parallel { " +
            "%C[i, j] = 0.0_f32 %E[j, i] = 0.0_f32 } } }")),
        lanes(std::get<ir::Vector>(kernel.body[0].node), shape) {}
  const ir::Stmt& stmt(size_t i) const {
    return std::get<ir::Vector>(kernel.body[0].node).body.at(i);
  }
  ir::Kernel kernel;
  Shown lanes;
};
std::string partsOf(int64_t size, const VectorShape& shape,
                    const std::string& value = "%A[m, n] unit n") {
  return Region("m: 2, n: " + std::to_string(size), "%C[m, n] unit n = " + value, shape)
      .lanes.parts();
}

TEST(Lanes, VectorsThenSmallerPowersOfTwo) {
  EXPECT_EQ(partsOf(1, {64}), "n: 0+1");
  EXPECT_EQ(partsOf(2, {64}), "n: 0+2");
  EXPECT_EQ(partsOf(15, {64}), "n: 0+8 8+4 12+2 14+1");
  EXPECT_EQ(partsOf(16, {64}), "n: 0+16");
  EXPECT_EQ(partsOf(17, {64}), "n: 0+16 16+1");
  EXPECT_EQ(partsOf(32, {64}), "n: 0+16 16+16");
  EXPECT_EQ(partsOf(56, {64}), "n: 0+16 16+16 32+16 48+8");
  EXPECT_EQ(partsOf(9, {16}), "n: 0+4 4+4 8+1");
  EXPECT_EQ(Region("n: 31", "%C[0, n] = %A[0, n] unit n", {32}).lanes.widths(),
            (std::vector<int64_t>{8, 4, 2}));
}

TEST(Lanes, AsManyAsTheWidestTypeHas) {
  EXPECT_EQ(partsOf(16, {32}), "n: 0+8 8+8");
  EXPECT_EQ(partsOf(16, {32}, "cast<f32>(%D[m, n] unit n)"), "n: 0+4 4+4 8+4 12+4");
  EXPECT_EQ(partsOf(16, {32}, "cast<f32>(%H[m, n] unit n)"), "n: 0+8 8+8");  // computed as f32
  // A device has the same of each type.
  EXPECT_EQ(partsOf(8, {32, 4}, "cast<f32>(%D[m, n] unit n)"), "n: 0+4 4+4");
  EXPECT_EQ(partsOf(2, {32, 1}), "n: 0+1 1+1");
}

TEST(Lanes, TheLastAxisWhereNothingIsUnit) {
  EXPECT_EQ(Region("m: 4, n: 2", "%C[m, n] = %A[m, n]", {16}).lanes.parts(), "n: 0+2");
  EXPECT_EQ(Region("m: 4, n: 2", "%C[m, n] = %B[n, m] unit m", {16}).lanes.parts(), "m: 0+4");
}

TEST(Lanes, AxesOfStatements) {
  const Region region("m: 2, n: 16, k: 1",
                      "let a: f32 over (m, n) = %A[m, n] unit n "
                      "a = add(a, 1.0_f32) "
                      "prefetch %A[m + 1, k] "
                      "%C[m, n] unit n = a",
                      {64});
  using Axes = std::vector<std::string>;
  EXPECT_EQ(region.lanes.axesOf(region.stmt(0)), (Axes{"m", "n"}));
  EXPECT_EQ(region.lanes.axesOf(region.stmt(1)), (Axes{"m", "n"}));
  EXPECT_EQ(region.lanes.axesOf(region.stmt(2)), (Axes{"m", "k"}));
  EXPECT_EQ(region.lanes.axesOf(region.stmt(3)), (Axes{"m", "n"}));
  EXPECT_EQ(region.lanes.otherAxes({"n", "k", "m"}), (Axes{"m", "k"}));
  EXPECT_EQ(region.lanes.sizeOf("n"), 16);
  EXPECT_EQ(region.lanes.sizeOf("k"), 1);
  EXPECT_EQ(region.lanes.sizeOf("other"), 1);
  EXPECT_TRUE(region.lanes.isAxis("k"));
  EXPECT_FALSE(region.lanes.isAxis("other"));
}

TEST(Lanes, BarriersNeedWhatOthersHaveComputed) {
  const Region region("m: 4, n: 4",
                      "let a: f32 over (m, n) = %A[m, n] unit n "
                      "let x: f32 over (m, n) = mul(a, a) "
                      "prefetch %A[m, 0] "
                      "for k = 0 .. 2 reduction { x = add(x, a) } "
                      "%S[m] = reduce add over n (x) "
                      "%C[m, n] unit n = x",
                      {16});
  for (size_t i : {0, 1, 2, 5}) EXPECT_FALSE(region.lanes.isBarrier(region.stmt(i))) << i;
  for (size_t i : {3, 4}) EXPECT_TRUE(region.lanes.isBarrier(region.stmt(i))) << i;
}

// Sides of squares are what divides both axes, at most a vector; all vectors are so long then.
TEST(Lanes, StoresThatAreTransposedAreInSquares) {
  const std::string turn = "%E[n, m] unit m = %A[m, n] unit n";
  const Region four("m: 4, n: 8", turn, {32});
  EXPECT_EQ(four.lanes.parts(), "n: 0+4 4+4");
  EXPECT_TRUE(four.lanes.transposes(std::get<ir::Store>(four.stmt(0).node)));
  EXPECT_TRUE(four.lanes.isBarrier(four.stmt(0)));
  EXPECT_EQ(Region("m: 12, n: 8", turn, {32}).lanes.parts(), "n: 0+4 4+4");
  EXPECT_EQ(Region("m: 8, n: 16", turn, {32}).lanes.parts(), "n: 0+8 8+8");
  // There is no square.
  const Region none("m: 3, n: 8", turn, {32});
  EXPECT_EQ(none.lanes.parts(), "n: 0+1 1+1 2+1 3+1 4+1 5+1 6+1 7+1");
  EXPECT_FALSE(none.lanes.transposes(std::get<ir::Store>(none.stmt(0).node)));
}

// A load along m among loads along n. It is worth it for a quarter of a vector.
TEST(Lanes, LoadsAreTransposedInSquaresThatAreLargeEnough) {
  auto lanesOf = [](int64_t m, const VectorShape& shape) {
    return Region("m: " + std::to_string(m) + ", n: 16",
                  "let a: f32 over (m, n) = %A[m, n] unit n "
                  "let b: f32 over (m, n) = %B[n, m] unit m "
                  "%C[m, n] unit n = add(a, b)",
                  shape);
  };
  auto transposes = [](const Region& region) {
    return region.lanes.transposes(std::get<ir::Let>(region.stmt(1).node));
  };
  EXPECT_TRUE(transposes(lanesOf(16, {64})));
  EXPECT_EQ(lanesOf(16, {64}).lanes.parts(), "n: 0+16");
  EXPECT_TRUE(transposes(lanesOf(4, {64})));
  EXPECT_EQ(lanesOf(4, {64}).lanes.parts(), "n: 0+4 4+4 8+4 12+4");
  EXPECT_FALSE(transposes(lanesOf(2, {64})));
  EXPECT_EQ(lanesOf(2, {64}).lanes.parts(), "n: 0+16");
}

}  // namespace
}  // namespace einc::transforms
