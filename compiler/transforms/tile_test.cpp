// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/tile.h"

#include "compiler/transforms/test_forms.h"

namespace einc::transforms {
namespace {

using test::count;
using test::has;

std::string product(const std::string& m, const std::string& n, const std::string& k) {
  return "kernel @f(%A: tensor<" + m + " x " + k + " x f32>, %B: tensor<" + k + " x " + n +
         " x f32>) -> (%C: tensor<" + m + " x " + n +
         " x f32>) level @ { op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) "
         "outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) } }";
}

// The kernel of `text`, whose one op becomes what `make` gives.
using Make = std::function<ir::Block(Builder&, const ir::StructuredOp&)>;
ir::Kernel made(const std::string& text, const Make& make) {
  ir::Kernel kernel = ir::test::goodKernel(test::at("tiled", text));
  const auto op = std::get<ir::StructuredOp>(kernel.body[0].node);
  Builder builder(kernel);
  kernel.body = make(builder, op);
  return kernel;
}
std::string textOf(const std::string& text, const Make& make, const std::set<int64_t>& sizes = {}) {
  ir::Kernel kernel = made(text, make);
  test::expectComputes(test::at("tensors", text), kernel, sizes);
  return ir::print(kernel);
}
ir::Block inside(const Tile& tile) { return only({tile.op}); }

Make tiled(const std::string& iterator, int64_t step) {
  return [=](Builder& builder, const ir::StructuredOp& op) {
    return only(tile(builder, op, {iterator, constant(step)}, inside));
  };
}

TEST(Tile, AReduction) {
  const std::string text = textOf(product("M", "N", "K"), tiled("k", 4), {4});
  EXPECT_EQ(test::lines(text, "tile k0", "add("),
            "tile k0 : k0_size = 0 .. K by 4 reduction {\n"
            "view %A_k0: tensor<M x k0_size x f32> = (m, k) -> %A[m, k0 + k]\n"
            "view %B_k0: tensor<k0_size x N x f32> = (k, n) -> %B[k0 + k, n]\n"
            "op (m: parallel, n: parallel, k: reduction)\n"
            "ins(%A_k0[m, k], %B_k0[k, n])\n"
            "outs(%C[m, n])\n"
            "{ (a_k0, b_k0, c) -> add(c, mul(a_k0, b_k0)) }")
      << text;
}

TEST(Tile, AParallelIterator) {
  const std::string text = textOf(product("M", "N", "K"), tiled("m", 3), {3, 6});
  EXPECT_TRUE(has(text, "tile m0 : m0_size = 0 .. M by 3 parallel {")) << text;
  EXPECT_TRUE(has(text, "view %A_m0: tensor<m0_size x K x f32> = (m, k) -> %A[m0 + m, k]")) << text;
  EXPECT_TRUE(has(text, "view %C_m0: tensor<m0_size x N x f32> = (m, n) -> %C[m0 + m, n]")) << text;
  EXPECT_FALSE(has(text, "%B_m0")) << text;  // does not move with it
}

// Law 5 and 6: one tile, several, and one that is cut off; of extents that are known.
TEST(Tile, SizesOfKnownExtents) {
  auto at = [](int64_t extent) {
    return textOf(product("M", std::to_string(extent), "K"), tiled("n", 4));
  };
  EXPECT_TRUE(has(at(4), "view %B_n0: tensor<K x 4 x f32>"));
  EXPECT_TRUE(has(at(8), "view %B_n0: tensor<K x 4 x f32>"));
  for (int64_t extent : {1, 3, 5, 7})
    EXPECT_TRUE(has(at(extent), "view %B_n0: tensor<K x n0_size x f32>")) << extent;
}

TEST(Tile, ByOneTheIteratorIsGone) {
  const std::string text = textOf(product("M", "N", "K"), tiled("k", 1));
  EXPECT_TRUE(has(text, "tile k0 : k0_size = 0 .. K by 1 reduction {")) << text;
  EXPECT_TRUE(has(text, "view %A_k0: tensor<M x f32> = (m) -> %A[m, k0]")) << text;
  EXPECT_TRUE(has(text, "op (m: parallel, n: parallel) ins(%A_k0[m], %B_k0[n]) outs(%C[m, n])"))
      << text;
}

TEST(Tile, TilesOfTiles) {
  const std::string text =
      textOf(product("M", "N", "K"),
             [](Builder& builder, const ir::StructuredOp& op) {
               return only(tile(builder, op, {"n", constant(6)}, [&](const Tile& outer) {
                 return only(tile(builder, outer.op, {"n", constant(2)}, inside));
               }));
             },
             {2, 6});
  EXPECT_TRUE(has(text, "tile n0 : n0_size = 0 .. N by 6 parallel {")) << text;
  EXPECT_TRUE(has(text, "tile n01 : n01_size = 0 .. n0_size by 2 parallel {")) << text;
}

TEST(Tile, PositionsInThePayloadAreThoseOfTheWholeOp) {
  const std::string text = textOf(
      "kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level @ { op (m: parallel) "
      "ins(%A[m]) outs(%C[m]) { (a, c) -> add(a, cast<f32>(index(m * 2))) } }",
      tiled("m", 4), {4});
  EXPECT_TRUE(has(text, "index(m0 * 2 + m * 2)")) << text;
}

TEST(Tile, OnThreads) {
  const std::string text = textOf(product("M", "N", "K"), [](Builder& builder,
                                                             const ir::StructuredOp& op) {
    return only(tile(builder, op, {"m", constant(2), ir::Grain{size("N"), constant(3)}}, inside));
  });
  EXPECT_TRUE(has(text, "by 2 parallel on threads from N inside 3 {")) << text;
}

// Tiles of a sum come one after the other: in the order of the terms.
TEST(Tile, TermsKeepTheirOrder) {
  textOf(
      "kernel @f(%A: tensor<M x K x i32>) -> (%C: tensor<M x i32>) level @ { "
      "op (m: parallel, k: reduction) ins(%A[m, k]) outs(%C[m]) "
      "{ (a, c) -> add(mul(c, 3_i32), a) } }",
      tiled("k", 3), {3, 6});
}

TEST(OnPositions, SeveralDimensionsInPlaceOfOne) {
  const std::string text =
      textOf(product("M", "12", "K"), [](Builder& builder, const ir::StructuredOp& op) {
        ir::Block block;
        ir::StructuredOp all = onPositions(
            builder, op, "n", {{"h", constant(3), constant(4)}, {"n", constant(4), constant(1)}},
            constant(0), "_x", block);
        block.push_back({all});
        return block;
      });
  EXPECT_TRUE(has(text, "view %B_x: tensor<K x 3 x 4 x f32> = (k, h, n) -> %B[k, h * 4 + n]"))
      << text;
  EXPECT_TRUE(has(text, "op (m: parallel, h: parallel, n: parallel, k: reduction)")) << text;
}

// With `whole` and `rest` told apart by what their iterators are called.
Make parts(int64_t step) {
  return [=](Builder& builder, const ir::StructuredOp& op) {
    auto named = [&](const char* name) {
      return [&, name](const ir::StructuredOp& part, int64_t positions) {
        return only(tile(builder, part, {"m", constant(positions)}, [&](const Tile& inner) {
          ir::Block block = only({ir::Bound{builder.name(name), {constant(positions)}}});
          append(block, inside(inner));
          return block;
        }));
      };
    };
    return wholeAndRest(builder, op, "n", step, named("whole"), named("rest"));
  };
}

TEST(WholeAndRest, EachWhereThereIsAny) {
  auto at = [](int64_t extent) {
    return textOf(product("M", std::to_string(extent), "K"), parts(4));
  };
  const std::string less = at(3), one = at(4), more = at(5), many = at(8), most = at(11);
  EXPECT_TRUE(!has(less, "bound whole") && has(less, "bound rest = min(3)")) << less;
  EXPECT_TRUE(has(one, "bound whole = min(4)") && !has(one, "bound rest")) << one;
  EXPECT_TRUE(has(more, "bound whole = min(4)") && has(more, "bound rest = min(1)")) << more;
  EXPECT_TRUE(has(many, "bound whole = min(8)") && !has(many, "bound rest")) << many;
  EXPECT_TRUE(has(most, "bound whole = min(8)") && has(most, "bound rest = min(3)")) << most;
  // What is all of the op is the op itself; else it is on views of its part.
  EXPECT_FALSE(has(less, "view %B_n")) << less;
  EXPECT_FALSE(has(many, "view %B_n")) << many;
  EXPECT_TRUE(has(most, "view %B_n0: tensor<K x 8 x f32> = (k, n) -> %B[k, n]")) << most;
  EXPECT_TRUE(has(most, "view %B_n8: tensor<K x 3 x f32> = (k, n) -> %B[k, n + 8]")) << most;
}

TEST(WholeAndRest, NothingOfNoPositions) {
  ir::Kernel kernel = made(product("M", "0", "K"), parts(4));
  EXPECT_TRUE(kernel.body.empty());
}

Make groups(int64_t together) {
  return [=](Builder& builder, const ir::StructuredOp& op) {
    return strided(
        builder, op, "n", together, "n",
        [&](const ir::StructuredOp& lines, const std::string& at) {
          return only(tile(builder, lines, {at, constant(1)}, inside));
        },
        [](const ir::StructuredOp& rest) { return only({rest}); });
  };
}

// Position i of group g is g + i * count: neighbours of a line are in different groups.
TEST(Strided, GroupsAndWhatIsLeft) {
  const std::string text = textOf(product("M", "N", "K"), groups(4), {4, 8});
  EXPECT_TRUE(has(text,
                  "view %B_lines: tensor<K x (N floordiv 4) x 4 x f32> = (k, n1, n) -> "
                  "%B[k, n1 + n * (N floordiv 4)]"))
      << text;
  EXPECT_TRUE(has(text, "tile n10 : n10_size = 0 .. (N floordiv 4) by 1 parallel {")) << text;
  EXPECT_TRUE(has(text,
                  "view %B_left: tensor<K x (N - (N floordiv 4) * 4) x f32> = (k, n) -> "
                  "%B[k, (N floordiv 4) * 4 + n]"))
      << text;
  EXPECT_TRUE(has(text, "if 0 < (N - (N floordiv 4) * 4) {")) << text;
}

TEST(Strided, OfKnownExtents) {
  auto at = [](int64_t extent) {
    return textOf(product("M", std::to_string(extent), "K"), groups(4));
  };
  const std::string less = at(3), one = at(4), more = at(9);
  EXPECT_TRUE(!has(less, "%B_lines") && has(less, "view %B_left: tensor<K x 3 x f32>")) << less;
  EXPECT_TRUE(has(one, "%B_lines") && !has(one, "%B_left")) << one;
  EXPECT_TRUE(has(more, "-> %B[k, n1 + n * 2]")) << more;
  EXPECT_TRUE(has(more, "view %B_left: tensor<K x 1 x f32> = (k, n) -> %B[k, n + 8]")) << more;
  EXPECT_EQ(count(more, "op ("), 2U) << more;
}

TEST(TileLoop, NamesAreNew) {
  ir::Kernel kernel = ir::test::goodKernel(test::at("tiled", product("M", "N", "K")));
  Builder builder(kernel);
  const ir::TileLoop first =
                         tileLoop(builder, "m", size("M"), constant(2), ir::IteratorKind::Parallel),
                     second = tileLoop(builder, "t", size("M"), constant(2),
                                       ir::IteratorKind::Reduction),
                     third = tileLoop(builder, "t", size("M"), constant(2),
                                      ir::IteratorKind::Reduction);
  EXPECT_NE(first.var, "m");  // the op's
  EXPECT_EQ(second.var, "t");
  EXPECT_EQ(second.size, "t_size");
  EXPECT_NE(third.var, "t");
  EXPECT_NE(third.size, "t_size");
  EXPECT_TRUE(third.body.empty());
}

}  // namespace
}  // namespace einc::transforms
