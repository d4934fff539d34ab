// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/rounds.h"

#include <gtest/gtest.h>

#include "compiler/ir/test_text.h"

namespace einc::emit {
namespace {

// Of a dispatch of 64 invocations.
std::string rounds(const std::string& body) {
  ir::Kernel kernel = ir::test::goodKernel(
      "kernel @copy(%X: tensor<M x N x f32>, q: i64) -> (%Y: tensor<M x N x f32>) level hardware {"
      " dispatch d (64, 1, 1) { " +
      body + " } }");
  Prelude prelude;
  auto index = [](const affine::Expr& e) { return e.str(); };
  return roundsOf(kernel, std::get<ir::Dispatch>(kernel.body[0].node), index, prelude)
      .value_or("none");
}

std::string inWorkgroup(const std::string& body) {
  return rounds("tile m : ms = 0 .. M by 1 parallel on workgroups x { " + body + " }");
}

TEST(Rounds, NothingThatInvocationsShareOut) {
  const std::string store = "%Y[i, 0] = 1.0_f32";
  EXPECT_EQ(rounds("tile i : s = 0 .. M by 1 parallel on grid { " + store + " }"), "none");
  EXPECT_EQ(inWorkgroup("tile i : s = 0 .. 64 by 1 parallel on invocations { %Y[m, i] = 1.0_f32 }"),
            "none");
  EXPECT_EQ(inWorkgroup("tile i : s = 0 .. 640 by 2 parallel on invocations { %Y[m, i] = 1.0_f32 "
                        "}"),
            "6");
}

// A loop takes one more to find its end.
TEST(Rounds, LoopsInEachOtherAndAfterEachOther) {
  auto loop = [](const std::string& var, const std::string& extent, const std::string& body) {
    return "for " + var + " = 0 .. " + extent + " reduction { " + body + " } ";
  };
  auto grid = [](const std::string& body) {
    return rounds("tile i : s = 0 .. M by 1 parallel on grid { " + body + " }");
  };
  const std::string store = "%Y[i, 0] = 1.0_f32";
  EXPECT_EQ(grid(loop("a", "7", store)), "8");
  EXPECT_EQ(grid(loop("a", "7", loop("b", "3", store))), "36");
  EXPECT_EQ(grid(loop("a", "7", store) + loop("b", "3", store)), "12");
  EXPECT_EQ(grid(loop("a", "N", loop("b", "3", store)) + loop("c", "3", store)),
            "einc_loop(N, 4) + 4");
  EXPECT_EQ(
      grid("if M == N { " + loop("a", "N", store) + "} else { " + loop("b", "7", store) + "}"),
      "einc_larger(einc_loop(N, 0), 8)");
}

// What is known only inside is not more than what the host knows.
TEST(Rounds, NamesInside) {
  auto onEach = [](const std::string& body) {
    return inWorkgroup("tile t : ts = 0 .. 64 by 1 parallel on invocations x { " + body + " }");
  };
  EXPECT_EQ(
      onEach("tile k : ks = 0 .. N by 16 reduction { for a = 0 .. ks reduction { "
             "%Y[m, t] = 1.0_f32 } }"),
      "einc_loop(" + affine::Expr::symbol("N").ceilDiv(affine::Expr::constant(16)).str() + ", 17)");
  EXPECT_EQ(onEach("bound c = min((N - t) floordiv 8) for a = 0 .. c reduction { "
                   "%Y[m, t] = 1.0_f32 }"),
            "einc_loop(N floordiv 8, 0)");
}

// A scalar may be negative, so what it multiplies need not be largest at the largest position.
TEST(Rounds, ProductsWithScalars) {
  auto onEach = [](const std::string& extent) {
    return inWorkgroup("tile t : ts = 0 .. 64 by 1 parallel on invocations x { for a = 0 .. " +
                       extent + " reduction { %Y[m, t] = 1.0_f32 } }");
  };
  EXPECT_EQ(onEach("t * N"), "einc_loop(N * 63, 0)");
  EXPECT_EQ(onEach("t * q"), "2147483647");
  EXPECT_EQ(onEach("t floordiv q"), "2147483647");
}

}  // namespace
}  // namespace einc::emit
