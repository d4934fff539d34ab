// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/distribute.h"

#include "compiler/ir/test_text.h"

namespace einc::transforms {
namespace {

std::string distributed(const std::string& body) {
  ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f(%A: tensor<M x N x f32>) -> (%C: tensor<M x N x f32>) level tiled {" + body + "}");
  ir::Kernel result = distribute(kernel, 128);
  for (const ir::Violation& violation : ir::verify(result))
    ADD_FAILURE() << violation.str() << "\n" << ir::print(result);
  std::string text = ir::print(result);
  return text.substr(text.find("level"));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

using ir::test::count;

const std::string kOp =
    "op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n]) { (a, c) -> a } ";

TEST(Distribute, LoopsWithoutSharedMemoryAreOneOnTheGrid) {
  std::string text = distributed(
      "tile m0 : ms = 0 .. M by 1 parallel { tile n0 : ns = 0 .. N by 4 parallel {"
      " view %a: tensor<ns x f32> = (n) -> %A[m0, n0 + n]"
      " view %c: tensor<ns x f32> = (n) -> %C[m0, n0 + n]"
      " op (n: parallel) ins(%a[n]) outs(%c[n]) { (a, c) -> a } } }");
  EXPECT_TRUE(has(text, "dispatch grid (128, 1, 1) {")) << text;
  EXPECT_TRUE(has(text, "by 1 parallel on grid {")) << text;
  EXPECT_TRUE(has(text, "bound m0 = min(i floordiv")) << text;
  EXPECT_TRUE(has(text, "bound ns = min(4, N - n0)")) << text;
  EXPECT_FALSE(has(text, "bound ms")) << text;  // of no use
}

TEST(Distribute, OpsAreLoopsFirst) {
  std::string text = distributed(kOp);
  EXPECT_TRUE(has(text, "0 .. positions by 1 parallel on grid {")) << text;
  text = distributed(kOp + kOp);
  EXPECT_TRUE(has(text, "dispatch grid1")) << text;
}

// A workgroup of 4 x 8 that copies a tile and reads it transposed.
std::string shared(const std::string& between = "") {
  return "tile m0 : ms = 0 .. M by 8 parallel { tile n0 : ns = 0 .. N by 4 parallel {"
         " alloc %t: tensor<8 x 4 x f32> in workgroup"
         " view %a: tensor<8 x 4 x f32> = (m, n) -> %A[m0 + m, n0 + n]"
         " op (n: parallel, m: parallel) ins(%a[m, n]) outs(%t[m, n]) { (a, t) -> a } " +
         between +
         " tile y : ys = 0 .. 8 by 1 parallel { tile x : xs = 0 .. 4 by 1 parallel {"
         " view %c: tensor<f32> = () -> %C[m0 + y, n0 + x]"
         " view %s: tensor<f32> = () -> %t[7 - y, 3 - x]"
         " op () ins(%s[]) outs(%c[]) { (s, c) -> s } } } } }";
}

TEST(Distribute, TilesWithSharedMemoryAreWorkgroups) {
  std::string text = distributed(shared());
  EXPECT_TRUE(has(text, "dispatch rows (4, 8, 1) {")) << text;
  EXPECT_TRUE(has(text, "tile m0 : ms = 0 .. M by 8 parallel on workgroups y {")) << text;
  EXPECT_TRUE(has(text, "tile n0 : ns = 0 .. N by 4 parallel on workgroups x {")) << text;
  EXPECT_TRUE(has(text, "tile i : i_size = 0 .. 32 by 1 parallel on invocations {")) << text;
  EXPECT_TRUE(has(text, "tile y : ys = 0 .. 8 by 1 parallel on invocations y {")) << text;
  EXPECT_TRUE(has(text, "tile x : xs = 0 .. 4 by 1 parallel on invocations x {")) << text;
}

TEST(Distribute, BarriersStandBetweenWhatIsWrittenAndRead) {
  EXPECT_EQ(count(distributed(shared()), "barrier"), 1u);
  // What is only written, or only read, waits for nothing.
  EXPECT_EQ(count(distributed(shared("alloc %u: tensor<8 x 4 x f32> in workgroup"
                                     " op (m: parallel, n: parallel) ins(%a[m, n]) outs(%u[m, n])"
                                     " { (a, u) -> a } ")),
                  "barrier"),
            1u);
  EXPECT_EQ(count(distributed(shared("op (m: parallel, n: parallel) outs(%t[m, n])"
                                     " { (t) -> add(t, 1.0_f32) } ")),
                  "barrier"),
            2u);
}

// 16 x 8 elements by 32 invocations: four rounds, in which an invocation stays in its column.
TEST(Distribute, WholeRoundsOfAllInvocationsAreInOrder) {
  const std::string copy =
      " alloc %u: tensor<16 x 8 x f32> in workgroup"
      " op (m: parallel, n: parallel) outs(%u[m, n]) { (u) -> 1.0_f32 } ";
  std::string text = distributed(shared(copy));
  EXPECT_TRUE(has(text, "tile turn : turn_size = 0 .. 4 by 1 parallel {")) << text;
  EXPECT_TRUE(has(text, " = min(turn * 4 + i1 floordiv 8)")) << text;
  EXPECT_TRUE(has(text, " = min(i1 mod 8)")) << text;
}

TEST(Distribute, RoundsOfALoopWaitForEachOther) {
  std::string text = distributed(
      "tile m0 : ms = 0 .. M by 4 parallel {"
      " alloc %t: tensor<4 x f32> in workgroup"
      " tile k0 : ks = 0 .. N by 1 reduction {"
      " view %a: tensor<4 x f32> = (m) -> %A[m0 + m, k0]"
      " op (m: parallel) ins(%a[m]) outs(%t[m]) { (a, t) -> a }"
      " tile x : xs = 0 .. 4 by 1 parallel {"
      " view %c: tensor<f32> = () -> %C[m0 + x, k0]"
      " view %s: tensor<f32> = () -> %t[3 - x]"
      " op () ins(%s[]) outs(%c[]) { (s, c) -> s } } } }");
  EXPECT_EQ(count(text, "barrier"), 2u) << text;
  EXPECT_TRUE(has(text, "tile k0 : ks = 0 .. N by 1 reduction {")) << text;
}

TEST(Distribute, BarriersSayWhetherBuffersAreExchanged) {
  auto tile = [](const std::string& inside) {
    return distributed(
        "tile m0 : ms = 0 .. M by 1 parallel {"
        " alloc %t: tensor<4 x f32> in workgroup"
        " view %c: tensor<4 x f32> = (n) -> %C[m0, n] " +
        inside + " }");
  };
  const std::string toTile = "op (n: parallel) ins(%c[3 - n]) outs(%t[n]) { (c, t) -> c } ";
  const std::string toBuffer = "op (n: parallel) ins(%t[3 - n]) outs(%c[n]) { (t, c) -> t } ";
  // The buffer is read before, and written after: the tile alone is exchanged.
  EXPECT_EQ(count(tile(toTile + toBuffer), "barrier buffers"), 0u);
  EXPECT_EQ(count(tile(toTile + toBuffer), "barrier"), 1u);
  EXPECT_EQ(count(tile(toTile + toBuffer + toTile), "barrier buffers"), 1u);
  // A barrier between them that is for the tile does not show what is in the buffer.
  const std::string other =
      "alloc %u: tensor<4 x f32> in workgroup op (n: parallel) outs(%u[n]) { (u) -> 1.0_f32 } "
      "op (n: parallel) ins(%u[3 - n]) outs(%t[n]) { (u, t) -> u } ";
  std::string text = tile("op (n: parallel) outs(%c[n]) { (c) -> 2.0_f32 } " + other + toTile);
  EXPECT_EQ(count(text, "barrier"), 2u) << text;
  EXPECT_EQ(count(text, "barrier buffers"), 1u) << text;
}

// A call may pass one matrix as both: nobody may write what others are still to read.
TEST(Distribute, ArgumentsOfOneTypeMayBeInOnePlace) {
  std::string text = distributed(
      "tile m0 : ms = 0 .. M by 1 parallel {"
      " alloc %t: tensor<4 x f32> in workgroup"
      " view %a: tensor<4 x f32> = (n) -> %A[m0, n] view %c: tensor<4 x f32> = (n) -> %C[m0, n]"
      " op (n: parallel) ins(%a[3 - n]) outs(%t[n]) { (a, t) -> a }"
      " op (n: parallel) outs(%c[n]) { (c) -> 2.0_f32 } }");
  EXPECT_EQ(count(text, "barrier"), 1u) << text;
}

// Two loops, and what says where they run; the element of both is written.
std::string nest(const std::string& outer, const std::string& inner, const std::string& between) {
  return "tile m0 : ms = 0 .. M by 1 parallel" + outer + " { " + between +
         "tile n0 : ns = 0 .. N by 1 parallel" + inner +
         " { view %c: tensor<f32> = () -> %C[m0, n0] op () outs(%c[]) { (c) -> 1.0_f32 } } }";
}

TEST(Distribute, LoopsRunWhereTheySay) {
  std::string text = distributed(nest(" on grid", "", ""));
  EXPECT_TRUE(has(text, "dispatch grid (128, 1, 1) {")) << text;
  EXPECT_TRUE(has(text, "tile m0 : ms = 0 .. M by 1 parallel on grid {")) << text;
  EXPECT_TRUE(has(text, "tile n0 : ns = 0 .. N by 1 parallel {")) << text;
  text = distributed(nest(" on grid", " on grid", ""));
  EXPECT_TRUE(has(text, "tile i : i_size = 0 .. positions by 1 parallel on grid {")) << text;
  EXPECT_FALSE(has(text, "parallel {")) << text;
  text = distributed(nest(" on workgroups x", " on invocations", ""));
  EXPECT_TRUE(has(text, "dispatch rows (128, 1, 1) {")) << text;
  EXPECT_TRUE(has(text, "tile m0 : ms = 0 .. M by 1 parallel on workgroups x {")) << text;
  EXPECT_TRUE(has(text, "tile n0 : ns = 0 .. N by 1 parallel on invocations {")) << text;
}

// A workgroup has as many invocations as a loop of constants that it can have.
TEST(Distribute, WorkgroupsHaveAsManyInvocationsAsTheyCan) {
  auto rows = [](const std::string& count) {
    return distributed(
        "tile m0 : ms = 0 .. M by 1 parallel on workgroups x {"
        " tile t : ts = 0 .. " +
        count +
        " by 1 parallel on invocations { view %c: tensor<f32> = () -> %C[m0, t]"
        " op () outs(%c[]) { (c) -> 1.0_f32 } } }");
  };
  EXPECT_TRUE(has(rows("64"), "dispatch rows (64, 1, 1) {")) << rows("64");
  EXPECT_TRUE(has(rows("64"), "parallel on invocations x {")) << rows("64");
  EXPECT_TRUE(has(rows("1000"), "dispatch rows (128, 1, 1) {")) << rows("1000");
}

// Of several loops in a workgroup that with the most.
TEST(Distribute, ShortLoopsTakeNoInvocationsFromLongOnes) {
  auto loop = [](const std::string& var, const std::string& count) {
    return "tile " + var + " : " + var + "_size = 0 .. " + count +
           " by 1 parallel on invocations { view %" + var + "_c: tensor<f32> = () -> %C[m0, " +
           var + "] op () outs(%" + var + "_c[]) { (c) -> 1.0_f32 } } ";
  };
  const std::string text = distributed("tile m0 : ms = 0 .. M by 1 parallel on workgroups x { " +
                                       loop("s", "32") + loop("t", "128") + loop("u", "64") + "}");
  EXPECT_TRUE(has(text, "dispatch rows (128, 1, 1) {")) << text;
}

TEST(Distribute, LoopsAroundThoseOfInvocationsAreInOrder) {
  std::string text = distributed(
      "tile m0 : ms = 0 .. M by 1 parallel on workgroups x {"
      " tile n1 : n1s = 0 .. N by 8 parallel {"
      " view %c1: tensor<n1s x f32> = (n) -> %C[m0, n1 + n]"
      " tile n0 : ns = 0 .. n1s by 1 parallel on invocations {"
      " view %c: tensor<f32> = () -> %c1[n0] op () outs(%c[]) { (c) -> 1.0_f32 } } } }");
  EXPECT_TRUE(has(text, "tile n1 : n1s = 0 .. N by 8 parallel {")) << text;
  EXPECT_TRUE(has(text, "tile n0 : ns = 0 .. n1s by 1 parallel on invocations {")) << text;
}

TEST(Distribute, MoreThanThreeLoopsAreThreeDimensions) {
  std::string text = distributed(
      "tile a : as = 0 .. 2 by 1 parallel { tile b : bs = 0 .. 3 by 1 parallel {"
      " tile m0 : ms = 0 .. M by 1 parallel { tile n0 : ns = 0 .. N by 2 parallel {"
      " alloc %t: tensor<2 x f32> in workgroup"
      " op (n: parallel) outs(%t[n]) { (t) -> 1.0_f32 } } } } } " +
      kOp);
  EXPECT_TRUE(has(text, "0 .. 6 by 1 parallel on workgroups z {")) << text;
  EXPECT_TRUE(has(text, "parallel on workgroups y {")) << text;
  EXPECT_TRUE(has(text, "parallel on workgroups x {")) << text;
}

}  // namespace
}  // namespace einc::transforms
