// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/instruction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/ir/print.h"
#include "compiler/ir/test_text.h"

namespace einc::ir {
namespace {

Number word(uint32_t bits) { return {0.0, bits}; }

const Instruction& named(std::string_view name) {
  const Instruction* found = findInstruction(name);
  EXPECT_TRUE(found) << name;
  return *found;
}

// Each row is read, and has its C for registers of all sizes.
TEST(Instructions, AllRowsAreGood) {
  EXPECT_GE(allInstructions().size(), 4U);
  for (const Instruction& row : allInstructions()) {
    EXPECT_EQ(&named(row.name), &row);
    EXPECT_TRUE(row.side == 1 || row.side == 2) << row.name;
    for (ScalarType type : row.elements)
      EXPECT_EQ(info(type).bits * row.count, 32U * row.side) << row.name;
    EXPECT_EQ(row.word(), row.side == 1 ? ScalarType::I32 : ScalarType::I64) << row.name;
    using enum target::Feature;
    const bool isNeon = row.features.hasAny(DotProd | I8mm | BfDot);
    for (int64_t lanes : {4, 8, 16})
      EXPECT_EQ(row.textOf(lanes) != nullptr, lanes == 4 || !isNeon) << row.name << " x " << lanes;
    EXPECT_FALSE(row.textOf(32));
  }
  EXPECT_FALSE(findInstruction("add"));
}

TEST(Instructions, AddProductsOfUnsignedAndSignedBytes) {
  const Instruction& row = named("vpdpbusd");
  // 255 * -128 four times, and 1.
  EXPECT_EQ(apply(row, word(1), word(0xFFFFFFFF), word(0x80808080)).asBits, 0xFFFE0201U);
  // 1 * 5 + 2 * 6 + 3 * 7 + 4 * -1
  EXPECT_EQ(apply(row, word(0), word(0x04030201), word(0xFF070605)).asBits, 34U);
  EXPECT_EQ(apply(row, word(0x7FFFFFFF), word(1), word(1)).asBits, 0x80000000U);  // it wraps
}

TEST(Instructions, AddProductsOfPairs) {
  for (std::string_view name : {"vpdpwssd", "vpmaddwd"}) {
    EXPECT_EQ(apply(named(name), word(0), word(0x80008000), word(0x80008000)).asBits, 0x80000000U);
    EXPECT_EQ(apply(named(name), word(7), word(0x0002FFFF), word(0x00030005)).asBits, 8U);
  }
}

// 255 * 127 twice is beyond an i16; 255 * 15 twice is not, and it is used for no more than that.
TEST(Instructions, AddProductsThatMaySaturate) {
  const Instruction& row = named("vpmaddubsw");
  EXPECT_EQ(row.elements[1], ScalarType::I8);
  EXPECT_EQ(row.operands[0], ScalarType::U8);
  EXPECT_EQ(row.operands[1], ScalarType::I4);
  EXPECT_EQ(apply(row, word(1), word(0xFFFFFFFF), word(0x7F7F7F7F)).asBits, 65535U);
  EXPECT_EQ(apply(row, word(1), word(0xFFFFFFFF), word(0x80808080)).asBits, 0xFFFF0001U);
  EXPECT_EQ(apply(row, word(1), word(0xFFFFFFFF), word(0x0F0F0F0F)).asBits, 15301U);
  EXPECT_EQ(apply(row, word(0), word(0x04030201), word(0xFF070605)).asBits, 34U);
}

// 2^24 + 1 - 2^24: the upper halves are multiplied first, and each sum is rounded.
TEST(Instructions, RoundProductsOfHalvesInTheirOrder) {
  const Instruction& row = named("vdpbf16ps");
  EXPECT_TRUE(row.runsBackwards);
  const Number big{16777216.0, 0};
  EXPECT_EQ(apply(row, big, word(0x3F80CB80), word(0x3F803F80)).asFloat, 0.0);
  EXPECT_EQ(apply(row, big, word(0xCB803F80), word(0x3F803F80)).asFloat, 1.0);
  // The least normal number halved is none, and keeps its sign.
  const Number none = apply(row, {0.0, 0}, word(0x00008080), word(0x00003F00));
  EXPECT_EQ(none.asFloat, 0.0);
}

// 2^24 + 1 is between two numbers, of which the one with an odd last bit is taken.
TEST(Instructions, RoundSumsOfHalvesToOdd) {
  const Instruction& row = named("bfdot");
  EXPECT_FALSE(row.runsBackwards);
  auto sum = [&](double c, uint32_t a, uint32_t b) {
    return apply(row, {c, 0}, word(a), word(b)).asFloat;
  };
  const uint32_t ones = 0x3F803F80;
  EXPECT_EQ(sum(16777216.0, 0x3F80, ones), 16777218.0);  // 1
  EXPECT_EQ(sum(16777216.0, 0xBF80, ones), 16777215.0);  // -1, which is exact
  EXPECT_EQ(sum(16777220.0, 0xBF80, ones), 16777218.0);  // -1, which is not
  EXPECT_EQ(sum(16777218.0, 0x3F80, ones), 16777218.0);  // odd already
  EXPECT_EQ(sum(1.0, 0x0080, 0x3F80), 1 + 0x1p-23);      // 2^-126
  EXPECT_EQ(sum(0.0, 0xCB803F80, ones), -16777215.0);    // 1 - 2^24 first
  EXPECT_EQ(sum(1.0, 0x5F80DF80, ones), 1.0);            // 2^64 - 2^64
  EXPECT_EQ(sum(0x1.fffffep127, 0x3F80, ones), 0x1.fffffep127);
  EXPECT_EQ(sum(0x1p127, 0x7F00, 0x3F80), INFINITY);  // 2^127
  EXPECT_EQ(sum(0x1p-127, 0x0040, 0x3F80), 0.0);      // denormals
}

// The first lane of a block is of the first row and the first column, and any other one is like it.
TEST(Instructions, MultiplyMatrices) {
  auto word64 = [](uint64_t bits) { return Number{0.0, bits}; };
  // 1 * 8 + 2 * 7 + ... + 8 * 1
  const Number up = word64(0x0807060504030201), down = word64(0x0102030405060708);
  for (std::string_view name : {"smmla", "ummla", "usmmla"}) {
    EXPECT_EQ(named(name).side, 2U);
    EXPECT_EQ(apply(named(name), word(5), up, down).asBits, 125U) << name;
  }
  // 8 * 255 * -128
  EXPECT_EQ(
      apply(named("usmmla"), word(0), word64(~uint64_t{0}), word64(0x8080808080808080)).asBits,
      0xFFFC0400U);
  // Pairs, each rounded to odd: 2^24 + (1 - 1) + (1 + 0).
  EXPECT_EQ(apply(named("bfmmla"), {16777216.0, 0}, word64(0x00003F80BF803F80),
                  word64(0x3F803F803F803F80))
                .asFloat,
            16777218.0);
}

TEST(Instructions, WordsMayBeJoinedOfHalves) {
  const ValueRef low = makeLiteral(ScalarType::I32, word(0x80000001)),
                 high = makeLiteral(ScalarType::I32, word(0x80000002)),
                 joined = joinedHalves(low, high);
  EXPECT_EQ(joined->type, ScalarType::I64);
  const std::vector<ValueRef> halves = halvesIn(joined);
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_TRUE(equal(halves[0], low) && equal(halves[1], high));
  EXPECT_TRUE(halvesIn(low).empty());
  EXPECT_TRUE(halvesIn(makeCast(ScalarType::I64, low)).empty());
}

TEST(Instructions, StandInTextAsFunctionsOfASumAndTwoWords) {
  const std::string text = R"(kernel @f(%A: tensor<M x K x i8>) -> (%C: tensor<M x i32>)
    level tiled {
  view %W: tensor<M x (K floordiv 4) x i32> = (m, k) -> %A[m, k * 4]
  op (m: parallel, k: reduction)
      ins(%W[m, k])
      outs(%C[m])
      { (w, c) -> add(c, vpdpbusd(0_i32, w, 16843009_i32)) }
}
)";
  const Kernel kernel = test::goodKernel(text);
  EXPECT_NE(print(Module{{kernel}}).find(text), std::string::npos) << print(Module{{kernel}});
  EXPECT_EQ(instructionIn(kernel), findInstruction("vpdpbusd"));
}

}  // namespace
}  // namespace einc::ir
