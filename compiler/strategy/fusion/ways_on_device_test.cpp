// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/ways_on_device.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/strategy/fusion/in_rounds.h"
#include "compiler/strategy/fusion/test_attention.h"
#include "compiler/transforms/test_forms.h"

namespace einc::strategy {
namespace {

using transforms::test::expectComputes;
using transforms::test::has;

// With that term of the largest one.
std::string attention(const std::string& term = "s") {
  return test::attention(term, "exp(sub(" + term + ", l))");
}

std::string known(std::string spec, const std::string& size, const std::string& number) {
  for (size_t at = 0; (at = spec.find(size + " x ", at)) != std::string::npos; ++at)
    spec.replace(at, size.size(), number);
  return spec;
}

Step tile(const std::string& iterator, int64_t by) {
  return Step(TileStep{iterator, affine::Expr::constant(by)});
}
Step parts(const std::string& iterator, int64_t width) {
  return Step(TileStep{iterator, affine::Expr::constant(width), std::nullopt, true});
}

InRounds on(const std::string& target, const std::string& spec, const Steps& steps = {},
            unsigned last = 9) {
  static ScheduleOptions options;
  options = {target::find(target)};
  if (!steps.empty()) options.settings = {{"f", 0, kRounds, "", steps, last}};
  return inRounds(ir::test::goodKernel(spec), options);
}

TEST(WaysOnDevice, FewTilesAreInPartsAndTheRestBehindThem) {
  const InRounds made = on("vulkan", attention());
  ASSERT_EQ(made.done.size(), 1u);
  EXPECT_EQ(made.done[0].text,
            "tile by tile of 32 'm' and 64 'e', in rounds of 32 along 'n', which workgroups share "
            "in parts of 1024 where there are fewer than 64 tiles; of S, L, T, U no more than a "
            "tile is kept");
  const std::string text = ir::print(made.kernel);
  for (const char* part :
       {"bound n_many = min(1, (((E + 63) floordiv 64) * ((M + 31) floordiv 32)) floordiv 64)",
        "bound n_parts = min((N + 1023) floordiv 1024)", "if 1 < M and N <= (N * n_many + 1024) {",
        "local %L_parts: tensor<n_parts x M x f32>",
        "local %U_parts: tensor<n_parts x M x E x f32>",
        "= 0 .. n_parts by 1 parallel on workgroups x {",
        "bound n_length = min(1024, N - n_part0 * 1024)",
        "tile n01 : n01_size = 0 .. n_length by 32 reduction {",
        "= (d0, d1) -> %K[n_part0 * 1024 + n01 + d0, d1]", "= (d1) -> %L_parts[n_part0, m01 + d1]"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  // Of rows that no part of E changes the first one is written.
  EXPECT_TRUE(has(text, "if (e01) < 1 { op (m: parallel) ins(%L1_here[m]) outs(%L_parts_here[m])"))
      << text;
  // One number for both ways.
  EXPECT_EQ(ir::test::count(text, "bound n_parts"), 1u) << text;
  expectComputes(attention(), made.kernel);
}

// With all that a mask may leave of a part; one row, and several; a part of rows of values, too.
TEST(WaysOnDevice, PartsComputeTheSame) {
  for (const char* term : {"s", "mul(s, c)", "select(le(index(n), index(m)), s, -inf_f32)",
                           "select(lt(index(m), index(n)), s, -inf_f32)",
                           "select(lt(index(n), index(N)), s, -inf_f32)"})
    for (auto [m, e, width, n] : {std::tuple(1, 1, 1, 1), std::tuple(2, 9, 3, 2),
                                  std::tuple(2, 2, 2, 3), std::tuple(3, 2, 3, 1)}) {
      const Steps steps = {tile("m", m), tile("e", e), parts("n", width), tile("n", n)};
      const InRounds made = on("vulkan", attention(term), steps);
      ASSERT_TRUE(made.errors.empty()) << made.errors[0].message;
      EXPECT_TRUE(has(ir::print(made.kernel), "_parts")) << ir::print(made.kernel);
      expectComputes(attention(term), made.kernel, {4, 7});
    }
}

// A product, which no bound changes, and which is a result; and of the last rows nothing is left.
TEST(WaysOnDevice, PartsOfWhatIsAResult) {
  const std::string spec = test::productOfScores();
  const InRounds made = on("vulkan", spec, {tile("m", 2), parts("n", 2), tile("n", 1)}, 8);
  ASSERT_TRUE(made.errors.empty()) << made.errors[0].message;
  const std::string text = ir::print(made.kernel);
  EXPECT_TRUE(has(text,
                  "ins(%C_parts_here1[n_part]) outs(%C_here1[]) { (c_parts_here1, c_here1) -> "
                  "mul(c_here1, c_parts_here1) }"))
      << text;
  expectComputes(spec, made.kernel, {4, 5});
}

TEST(WaysOnDevice, WhatIsKnownIsNotAsked) {
  struct {
    const char *m, *n;
    unsigned whole, parts;  // rounds of one dispatch, and of parts
  } const cases[] = {{"1", "1024", 1, 0},
                     {"1", "1025", 0, 1},
                     {"2048", "N", 1, 0},
                     {"2016", "N", 1, 1},
                     {"32", "65536", 0, 1}};
  for (const auto& one : cases) {
    const std::string spec = known(known(known(attention(), "M", one.m), "N", one.n), "E", "64");
    const std::string text = ir::print(on("vulkan", spec).kernel);
    EXPECT_EQ(ir::test::count(text, "_parts["), one.parts == 0 ? 0u : 6u) << text;
    EXPECT_EQ(ir::test::count(text, " reduction {"), one.whole + one.parts) << text;
    EXPECT_EQ(ir::test::count(text, "if N <= 1024 {"), one.whole * one.parts) << text;
    EXPECT_EQ(ir::test::count(text, "n_many"), 0u) << text;
  }
}

// Parts need the rounds of loops of one part alone.
TEST(WaysOnDevice, LongRoundsAreInParts) {
  const std::string long_ = known(known(known(attention(), "M", "4096"), "E", "64"), "D", "64");
  const InRounds made = on("vulkan-software", long_);
  EXPECT_TRUE(has(made.done[0].text,
                  ", which workgroups share in parts of 1024 where there are more rounds of loops "
                  "than an invocation may run; of S"))
      << made.done[0].text;
  EXPECT_EQ(ir::test::count(ir::print(made.kernel), "n_many"), 0u);
  const InRounds always = on("vulkan-software", known(long_, "N", "1048576"));
  EXPECT_TRUE(has(always.done[0].text, ", which workgroups share in parts of 1024; of S"))
      << always.done[0].text;
  EXPECT_EQ(ir::test::count(ir::print(always.kernel), "if "), 0u) << ir::print(always.kernel);
}

TEST(WaysOnDevice, PartsThatCannotBeAreRefused) {
  const std::string few = known(known(attention(), "M", "64"), "E", "64");
  struct {
    std::string target, spec;
    Steps steps;
    const char* why;
  } const cases[] = {
      {"vulkan",
       known(few, "N", "100"),
       {parts("n", 100)},
       "there is one part: leave out 'tile n by 100 on workgroups'"},
      {"vulkan",
       few,
       {tile("m", 1), parts("n", 100)},
       "there are 64 tiles, and 64 workgroups keep the device busy: leave out 'tile n by 100 on "
       "workgroups'"},
      {"vulkan",
       few,
       {parts("m", 2)},
       "workgroups share tiles anyway; parts for them are of 'n': tile n by 1024 on workgroups"},
      {"vulkan",
       few,
       {Step(TileStep{"n", affine::Expr::constant(1024), Threads{131072}})},
       "workgroups share tiles anyway; parts for them are of 'n': tile n by 1024 on workgroups"},
      {"x86-64-v3",
       few,
       {parts("n", 100)},
       "threads share tiles anyway; parts for them are of 'n': tile n by 1024 on threads "
       "(131072)"},
  };
  for (const auto& one : cases) {
    const InRounds made = on(one.target, one.spec, one.steps);
    ASSERT_EQ(made.errors.size(), 1u) << one.why;
    EXPECT_EQ(made.errors[0].message, one.why);
  }
  // A user who says nothing of parts has none.
  EXPECT_EQ(ir::test::count(ir::print(on("vulkan", few, {tile("n", 16)}).kernel), "_parts"), 0u);
}

}  // namespace
}  // namespace einc::strategy
