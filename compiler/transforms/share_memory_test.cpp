// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/share_memory.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

// The allocs of what the pass makes of the kernel, a line each.
std::string allocs(const std::string& body, const std::string& sizes = "M x N x P x Q") {
  const ir::Kernel kernel = shareMemory(ir::test::goodKernel(
      "kernel @f(%A: tensor<" + sizes +
      " x f32>) -> (%C: tensor<f32>) level hardware { %C[] = 0.0_f32 " + body + " }"));
  for (const ir::Violation& violation : ir::verify(kernel)) ADD_FAILURE() << violation.str();
  std::string result;
  ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
    auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
    if (!alloc) return;
    result += kernel.tensors[alloc->tensor].name;
    if (alloc->over) result += " over " + kernel.tensors[*alloc->over].name;
    result += "\n";
  });
  return result;
}

std::string fill(const std::string& tensor, const std::string& size) {
  return "for i" + tensor + " = 0 .. " + size + " parallel { %" + tensor + "[i" + tensor +
         "] = 0.0_f32 } ";
}
std::string from(const std::string& one, const std::string& other, const std::string& size) {
  return "for i" + other + " = 0 .. " + size + " parallel { %" + other + "[i" + other + "] = %" +
         one + "[0] pad 0.0_f32 } ";
}

// Each is needed to the end of the one that reads it, so the third has the first one's memory.
TEST(ShareMemory, AChainHasTwoPieces) {
  EXPECT_EQ(allocs("alloc %T: tensor<M x f32> " + fill("T", "M") + "alloc %U: tensor<N x f32> " +
                   from("T", "U", "N") + "alloc %V: tensor<P x f32> " + from("U", "V", "P") +
                   "alloc %W: tensor<Q x f32> " + from("V", "W", "Q")),
            "T\nU\nV over T\nW over U\n");
}

// U could have the memory of T or of S.
TEST(ShareMemory, EqualSizesComeFirst) {
  EXPECT_EQ(allocs("alloc %S: tensor<M x f32> " + fill("S", "M") + "alloc %T: tensor<N x f32> " +
                   from("S", "T", "N") + "alloc %V: tensor<P x f32> " + from("T", "V", "P") +
                   "alloc %U: tensor<N x f32> " + from("V", "U", "N") + "%C[] = %U[0] pad 0.0_f32"),
            "S\nT\nV over S\nU over T\n");
}

TEST(ShareMemory, TypesAndRanksMayDiffer) {
  EXPECT_EQ(allocs("alloc %T: tensor<8 x f32> " + fill("T", "8") +
                   "%C[] = %T[0] "
                   "alloc %U: tensor<2 x 2 x f64> %U[0, 1] = 0.0_f64"),
            "T\nU over T\n");
}

TEST(ShareMemory, WhatNothingUsesGetsNone) {
  EXPECT_EQ(allocs("alloc %T: tensor<M x f32> alloc %U: tensor<N x f32> " + fill("U", "N") +
                   "alloc %V: tensor<P x f32>"),
            "U\n");
}

// Through a view, in a condition, as a table of places, and in a loop on threads, all of which is one statement.
TEST(ShareMemory, AllUsesCount) {
  const std::string begin = "alloc %T: tensor<M x f32> " + fill("T", "M"),
                    other = "alloc %U: tensor<M x f32> " + fill("U", "M");
  EXPECT_EQ(allocs(begin + "view %V: tensor<M x f32> = (d) -> %T[d] " + other +
                   "%C[] = %V[0] pad 0.0_f32"),
            "T\nU\n");
  EXPECT_EQ(allocs(begin + other + "if unit %T[0] { %C[] = 1.0_f32 }"), "T\nU\n");
  EXPECT_EQ(allocs(begin + other + "prefetch %T[0]"), "T\nU\n");
  EXPECT_EQ(
      allocs(begin + "tile t : ts = 0 .. M by 2 parallel on threads { alloc %U: tensor<M x f32> " +
             fill("U", "M") + "alloc %W: tensor<M x f32> " + from("T", "W", "M") + "}"),
      "T\nU\nW over U\n");
}

// What is known only behind the first alloc cannot be a size of what is in its place.
TEST(ShareMemory, SizesAreKnownAtTheFirst) {
  EXPECT_EQ(
      allocs("alloc %T: tensor<M x f32> " + fill("T", "M") +
             "bound half = min(N floordiv 2) alloc %U: tensor<half x f32> " + fill("U", "half")),
      "T\nU\n");
  EXPECT_EQ(allocs("bound half = min(N floordiv 2) alloc %T: tensor<M x f32> " + fill("T", "M") +
                   "alloc %U: tensor<half x f32> " + fill("U", "half")),
            "T\nU over T\n");
}

// In a block inside, and not with what is around it; on the stack nothing is shared.
TEST(ShareMemory, EachBlockHasItsOwn) {
  EXPECT_EQ(allocs("alloc %S: tensor<4 x f32> " + fill("S", "4") +
                   "if 1 <= M { alloc %T: tensor<4 x f32> " + fill("T", "4") +
                   "alloc %U: tensor<4 x f32> " + fill("U", "4") + "} " +
                   "alloc %V: tensor<4 x f32> in stack " + fill("V", "4")),
            "S\nT\nU over T\nV\n");
}

}  // namespace
}  // namespace einc::transforms
