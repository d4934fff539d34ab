// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/blocks.h"

#include "compiler/transforms/test_forms.h"
#include "compiler/transforms/unroll.h"

namespace einc::transforms {
namespace {

using test::count;
using test::has;

constexpr VectorShape kFour = {16, 0, true};

// A sum of products on a tile of m x n, with P words of 8 bytes, by `added`, of c, a and b; begun with `start`. Where memory is no
// vectors, each of them alone.
std::string kernelOf(int64_t m, int64_t n, const std::string& added = "smmla(c, a, b)",
                     const std::string& start = "%C[m, n]") {
  const std::string rows = std::to_string(m), columns = std::to_string(n);
  auto tile = [&](const std::string& axes, const std::string& alongRows,
                  const std::string& alongColumns) {
    auto over = [&](const std::string& names) {
      return axes.empty() ? "" : " over (" + names + ")";
    };
    const std::string begin = start[0] == '%' ? start + alongColumns : start;
    return "let c: i32" + over("m, n") + " = " + begin + " for p = 0 .. P reduction { let a: i64" +
           over("m") + " = %A[p, m]" + alongRows + " let b: i64" + over("n") + " = %B[p, n]" +
           alongColumns + " c = " + added + " } %C[m, n]" + alongColumns + " = c";
  };
  return "kernel @f(%A: tensor<P x " + rows + " x i64>, %B: tensor<P x " + columns +
         " x i64>) -> (%C: tensor<" + rows + " x " + columns +
         " x i32>) level @ { if unit %A[1] and unit %B[1] and unit %C[1] { vector (m: " + rows +
         ", n: " + columns + ") { " + tile("m, n", " unit m", " unit n") +
         " } } else { for m = 0 .. " + rows + " parallel { for n = 0 .. " + columns +
         " parallel { " + tile("", "", "") + " } } } }";
}

ir::Kernel unrolled(const std::string& text) {
  const ir::Kernel kernel = unroll(ir::test::goodKernel(test::at("vector", text)), kFour);
  test::expectGood(kernel);
  return kernel;
}

TEST(Blocks, TwoRowsOfFourColumnsAreTwoBlocks) {
  const std::string text = ir::print(unrolled(kernelOf(8, 12)));
  for (const char* line :
       {"vector (n: 4, w: 2) times (r: 4, v: 3) {",
        "let c1: i32 over (r, v, n) = %C[r * 2 + 1, v * 4 + n] unit n",
        "let block: i32 over (r, v, n) = shuffle n [0, 1, 4, 5] (c, c1)",
        "let block1: i32 over (r, v, n) = shuffle n [2, 3, 6, 7] (c, c1)",
        "let a: i64 over (r, w) = %A[p, r * 2 + w] unit w",
        "let b: i64 over (v, w) = %B[p, v * 4 + w] unit w",
        "let b1: i64 over (v, w) = %B[p, v * 4 + w + 2] unit w",
        "block1 = smmla[n, w](block1, a, b1)", "c1 = shuffle n [2, 3, 6, 7] (block, block1)",
        "%C[r * 2 + 1, v * 4 + n] unit n = c1"})
    EXPECT_TRUE(has(text, line)) << line << "\n" << text;
}

// The rows' words are the instruction's second ones: each block has its rows as columns.
TEST(Blocks, OfColumnsTimesRows) {
  const std::string text = ir::print(unrolled(kernelOf(2, 4, "smmla(c, b, a)")));
  for (const char* line :
       {"let block: i32 over (r, v, n) = shuffle n [0, 4, 1, 5] (c, c1)",
        "let block1: i32 over (r, v, n) = shuffle n [2, 6, 3, 7] (c, c1)",
        "block1 = smmla[n, w](block1, b1, a)", "c = shuffle n [0, 2, 4, 6] (block, block1)",
        "c1 = shuffle n [1, 3, 5, 7] (block, block1)"})
    EXPECT_TRUE(has(text, line)) << line << "\n" << text;
}

// What lanes hold is what each had before.
TEST(Blocks, ComputeTheSame) {
  for (const char* added : {"smmla(c, a, b)", "smmla(c, b, a)", "usmmla(c, b, a)"})
    for (const char* start : {"%C[m, n]", "7_i32"})
      for (auto [m, n] : {std::pair{2, 4}, {4, 8}}) {
        const std::string text = kernelOf(m, n, added, start);
        const ir::Kernel before = ir::test::goodKernel(test::at("vector", text)),
                         after = unrolled(text);
        EXPECT_TRUE(has(ir::print(after), "mmla[n, w]"));
        interp::Instances instances(before);
        instances.around({2});
        EXPECT_FALSE(instances.empty());
        EXPECT_EQ(instances.findDifference(after).value_or("none"), "none") << ir::print(after);
      }
}

TEST(Blocks, OthersStayOnLanes) {
  auto isOnLanes = [](const std::string& text) {
    const std::string code = ir::print(unrolled(text));
    return !has(code, "mmla[");
  };
  EXPECT_TRUE(isOnLanes(kernelOf(3, 4)));
  EXPECT_TRUE(isOnLanes(kernelOf(2, 6)));
  EXPECT_TRUE(isOnLanes(kernelOf(2, 4, "smmla(c, a, a)")));
  EXPECT_TRUE(isOnLanes(kernelOf(2, 4, "add(c, smmla(1_i32, a, b))")));
  EXPECT_FALSE(isOnLanes(kernelOf(2, 4)));
}

}  // namespace
}  // namespace einc::transforms
