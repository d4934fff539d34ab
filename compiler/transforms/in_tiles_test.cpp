// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/in_tiles.h"

#include <optional>
#include <string>
#include <vector>

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

struct Made {
  std::string why;  // not, or empty
  ir::Kernel kernel;
};

// All ops of the kernel, but those that `without` numbers at the beginning, in tiles of these iterators of the last one.
Made inTilesOf(const std::string& spec, const std::vector<std::string>& iterators,
               const std::vector<int64_t>& sizes, size_t without = 0) {
  Made made{"", ir::test::goodKernel(spec)};
  Tiles tiles;
  ir::Block rest;
  for (const ir::Stmt& stmt : made.kernel.body)
    if (rest.size() < without)
      rest.push_back(stmt);
    else
      tiles.ops.push_back(std::get<ir::StructuredOp>(stmt.node));
  Builder builder(made.kernel);
  for (size_t i = 0; i < iterators.size(); ++i) {
    Tiles::Loop loop{std::vector<std::string>(tiles.ops.size()),
                     builder.extent(tiles.ops.back(), iterators[i]), constant(sizes[i])};
    loop.names.back() = iterators[i];
    tiles.loops.push_back(loop);
  }
  for (const ir::StructuredOp& op : tiles.ops) {
    const unsigned tensor = op.outputs[0].tensor;
    if (made.kernel.tensors[tensor].role == ir::Role::Local)
      tiles.kept[tensor] = made.kernel.tensors[tensor].name + "_tile";
  }
  if (auto why = needsOf(made.kernel, tiles)) {
    made.why = why->text;
    return made;
  }
  append(rest, inTiles(builder, tiles));
  made.kernel.body = std::move(rest);
  return made;
}

// An image, a sum of windows of it, and what is made of that in windows, too.
std::string image(const std::string& rows, const std::string& first, const std::string& second,
                  const std::string& pads = "") {
  return "kernel @f(%X: tensor<N x W x f32>, %K: tensor<3 x f32>, %L: tensor<2 x f32>) -> (%O: "
         "tensor<H x W x f32>) level "
         "tensors { local %A: tensor<(" +
         rows + R"() x W x f32>
      op (y: parallel, x: parallel) outs(%A[y, x]) { (a) -> 0.0_f32 }
      op (y: parallel, x: parallel, k: reduction) ins(%X[)" +
         first + ", x]" + pads + R"(, %K[k]) outs(%A[y, x]) { (p, k, a) -> add(a, mul(p, k)) }
      op (h: parallel, x: parallel) outs(%O[h, x]) { (o) -> -inf_f32 }
      op (h: parallel, x: parallel, k: reduction) ins(%A[)" +
         second + ", x]" + pads +
         ", %L[k]) outs(%O[h, x]) { (a, l, o) -> max(o, add(a, mul(l, cast<f32>(index(h))))) } }";
}

// Tiles of one row, some that divide the rows and some that do not, and one for all.
TEST(InTiles, ComputeTheSame) {
  struct {
    std::string rows, first, second, pads;
  } const cases[] = {
      {"H + 1", "y + k", "h + k", ""},
      {"2 * H", "y + k", "2 * h + k", ""},
      {"3 * H + 2", "2 * y + k", "3 * h + 2 * k + 1", ""},
      {"H + 1", "y - k + 2", "h - k + 1", ""},
      {"H", "y + k - 1", "h + k - 1", " pad 0.0_f32"},
      {"2 * H + 1", "y + k + 1", "2 * h - 2 * k", " pad 2.0_f32"},
      {"H", "y + k - 5", "h + 7 * k - 3", " pad -1.0_f32"},
  };
  for (const auto& one : cases)
    for (int64_t size : {1, 2, 3, 7}) {
      const std::string spec = image(one.rows, one.first, one.second, one.pads);
      const Made made = inTilesOf(spec, {"h"}, {size});
      ASSERT_EQ(made.why, "") << spec;
      test::expectComputes(spec, made.kernel, {size, 2 * size});
    }
}

// Iterators may be called as dimensions of views are: a loop over d is not d0.
TEST(InTiles, LoopsHaveNamesOfTheirOwn) {
  std::string spec = image("H + 1", "y + k", "d + k");
  for (size_t at = spec.find("(h: parallel"); at != std::string::npos;
       at = spec.find("(h: parallel"))
    spec.replace(at, 2, "(d");
  for (size_t at = spec.find("%O[h"); at != std::string::npos; at = spec.find("%O[h"))
    spec.replace(at, 4, "%O[d");
  spec.replace(spec.find("index(h)"), 8, "index(d)");
  const Made made = inTilesOf(spec, {"d"}, {2});
  ASSERT_EQ(made.why, "") << spec;
  test::expectComputes(spec, made.kernel, {2, 5});
}

// For a workgroup: memory of known sizes, a loop that says where it runs, and the ops as they were where that is not enough.
TEST(InTiles, MemoryOfKnownSizes) {
  const std::string spec = image("H + 1", "y + k", "h + k");
  Made made{"", ir::test::goodKernel(spec)};
  Tiles tiles;
  for (const ir::Stmt& stmt : made.kernel.body)
    tiles.ops.push_back(std::get<ir::StructuredOp>(stmt.node));
  Builder builder(made.kernel);
  tiles.loops.push_back({{"", "", "", "h"}, builder.extent(tiles.ops.back(), "h"), constant(1)});
  tiles.loops[0].on = ir::On::WorkgroupsX;
  const unsigned kept = tiles.ops[0].outputs[0].tensor;
  tiles.kept[kept] = "T";
  tiles.most[kept] = {2, 7};
  tiles.where = {{ir::Condition::Kind::LessEqual, size("W"), constant(7)}};
  ASSERT_FALSE(needsOf(made.kernel, tiles));
  made.kernel.body = inTiles(builder, tiles);
  const std::string text = ir::print(made.kernel);
  EXPECT_TRUE(test::has(text, "local %T: tensor<2 x 7 x f32>")) << text;
  EXPECT_TRUE(test::has(text, "parallel on workgroups x")) << text;
  // Of a tile of one position that is known.
  EXPECT_TRUE(test::has(text, "view %T_here: tensor<2 x W x f32>")) << text;
  EXPECT_TRUE(test::has(text, "W <= 7 {")) << text;
  test::expectComputes(spec, made.kernel, {3, 7, 8});
}

// Where sizes are asked for, memory is as large as that says; the text says so before, and is read back.
TEST(InTiles, RoomIsAskedFor) {
  const ir::Kernel whole = ir::test::goodKernel(image("H + 1", "y + k", "h + k"));
  Made made{"", whole};
  Tiles tiles;
  for (const ir::Stmt& stmt : whole.body)
    tiles.ops.push_back(std::get<ir::StructuredOp>(stmt.node));
  Builder builder(made.kernel);
  tiles.loops.push_back({{"", "", "", "h"},
                         builder.extent(tiles.ops.back(), "h"),
                         constant(2),
                         Tiles::Loop::Room{size("W") + constant(1), 8}});
  tiles.kept[tiles.ops[0].outputs[0].tensor] = "T";
  ASSERT_FALSE(needsOf(whole, tiles));
  made.kernel.body = inTiles(builder, tiles);
  const std::string text = ir::print(made.kernel);
  EXPECT_LT(text.find("bound h_tile = min(H, 8 floordiv (W + 1) + 2)"), text.find("local %T"))
      << text;
  EXPECT_EQ(ir::print(ir::test::goodKernel(text)), text);
  test::expectComputes(image("H + 1", "y + k", "h + k"), made.kernel, {3, 6});
}

// What follows: as much memory as a tile needs, whatever the image is.
TEST(InTiles, KeepsATile) {
  const std::string text =
      ir::print(inTilesOf(image("2 * H + 1", "y + k", "2 * h + k"), {"h"}, {8}).kernel);
  EXPECT_EQ(test::count(text, "local %A_tile: tensor<16 x W x f32>"), 1u) << text;
  EXPECT_EQ(test::count(text, "tile h0 : h0_size = 0 .. H by 8 parallel"), 1u) << text;
}

// Windows that reach far beyond the edges need no more memory than there is.
TEST(InTiles, NoMoreThanThereIs) {
  const std::string spec = image("H", "y + k - 1", "h + 1000000000 * k", " pad 0.0_f32");
  const Made made = inTilesOf(spec, {"h"}, {2});
  ASSERT_EQ(made.why, "");
  EXPECT_TRUE(test::has(ir::print(made.kernel), "min(1000000002, H)")) << ir::print(made.kernel);
  test::expectComputes(spec, made.kernel, {2, 5});
}

TEST(InTiles, SeveralLoopsAndReaders) {
  const std::string spec = R"(
    kernel @f(%X: tensor<B x (H + 3) x (W + 2) x f32>) -> (%O: tensor<B x H x W x f32>) level tensors {
      local %A: tensor<B x (H + 3) x (W + 2) x f32>
      local %D: tensor<B x (H + 1) x W x f32>
      op (b: parallel, y: parallel, x: parallel) ins(%X[b, y, x]) outs(%A[b, y, x])
          { (p, a) -> mul(p, cast<f32>(index(y + 2 * x))) }
      op (b: parallel, y: parallel, x: parallel) ins(%A[b, y + 2, x + 2], %A[b, y + 1, x + 1]) outs(%D[b, y, x])
          { (p, q, d) -> sub(p, q) }
      op (b: parallel, y: parallel, x: parallel) ins(%D[b, y + 1, x], %A[b, y + 2, x + 1]) outs(%O[b, y, x])
          { (d, a, o) -> mul(d, a) }
    })";
  for (const std::vector<std::string>& loops :
       {std::vector<std::string>{"y"}, {"b", "y"}, {"y", "x"}, {"x"}, {"b", "y", "x"}})
    for (int64_t size : {1, 2, 5}) {
      const Made made = inTilesOf(spec, loops, {size, size, 2});
      ASSERT_EQ(made.why, "");
      test::expectComputes(spec, made.kernel, {size});
    }
}

// An op with nothing to do may be written for any rows: they are not there in a tile, either.
TEST(InTiles, EmptyWindowsReadNothing) {
  const std::string spec = R"(
    kernel @f(%X: tensor<4 x f32>, %K: tensor<N x f32>) -> (%O: tensor<H x f32>) level tensors {
      local %A: tensor<4 x f32>
      op (y: parallel) ins(%X[y]) outs(%A[y]) { (p, a) -> p }
      op (h: parallel) outs(%O[h]) { (o) -> 0.0_f32 }
      op (h: parallel, k: reduction) ins(%A[h + 2 * k], %K[k]) outs(%O[h]) { (a, k, o) -> add(o, a) }
    })";
  const Made made = inTilesOf(spec, {"h"}, {2});
  ASSERT_EQ(made.why, "");
  EXPECT_TRUE(test::has(ir::print(made.kernel), "if 1 <= N and")) << ir::print(made.kernel);
  test::expectComputes(spec, made.kernel, {4, 9});
}

TEST(InTiles, WhyNot) {
  const std::string head =
                        "kernel @f(%X: tensor<H x W x f32>) -> (%O: tensor<H x f32>) level tensors "
                        "{ local %A: tensor<H x f32> ",
                    made =
                        "op (y: parallel, x: reduction) ins(%X[y, x]) outs(%A[y]) { (p, a) -> p } ";
  struct {
    std::string body, why;
  } const cases[] = {
      {made + "op (y: parallel, k: reduction) ins(%A[k], %A[y]) outs(%O[y]) { (a, b, o) -> add(a, "
              "b) } }",
       "a tile of 'A' is not enough"},
      {made + "op (y: parallel) ins(%A[y floordiv 2]) outs(%O[y]) { (a, o) -> a } }",
       "a tile of 'A' is not enough"},
      {made + "op (y: parallel) ins(%A[y + H] pad 0.0_f32) outs(%O[y]) { (a, o) -> a } }",
       "nothing of 'A' is read"},
      {made + "op (y: parallel) ins(%A[2 * y] pad 0.0_f32, %A[y]) outs(%O[y]) { (a, b, o) -> "
              "add(a, b) } }",
       "'A' is read in different ways"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(inTilesOf(head + one.body, {"y"}, {2}).why, one.why) << one.body;
}

}  // namespace
}  // namespace einc::transforms
