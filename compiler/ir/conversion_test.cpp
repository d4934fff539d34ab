// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/conversion.h"

#include <gtest/gtest.h>

namespace einc::ir {
namespace {

using enum target::Feature;

// Each row is read, is found by its meaning, and has C.
TEST(Conversions, AllRowsAreGood) {
  EXPECT_GE(allConversions().size(), 4U);
  for (const Conversion& row : allConversions()) {
    EXPECT_EQ(row.meaning->type, row.to) << row.name;
    EXPECT_EQ(findConversion(row.from, row.to, row.features), &row) << row.name;
    EXPECT_FALSE(row.texts.empty()) << row.name;
    EXPECT_FALSE(findInstruction(row.name)) << row.name << " adds no products";
  }
}

TEST(Conversions, AreThoseOfTheTarget) {
  const Conversion* narrow = findConversion(ScalarType::F32, ScalarType::F16, Sse2 | V2 | V3);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->name, "vcvtps2ph");
  EXPECT_FALSE(findConversion(ScalarType::F32, ScalarType::F16, Sse2 | V2));
  EXPECT_FALSE(findConversion(ScalarType::F32, ScalarType::F16, target::Features()));
  EXPECT_EQ(findConversion(ScalarType::F16, ScalarType::F32, Neon)->name, "fcvtl");
}

// What would be rounded twice is another cast, and so is what takes denormals as 0.
TEST(Conversions, AreExactlyTheCast) {
  const target::Features all = Sse2 | V2 | V3 | V4 | Vnni | Bf16 | Neon;
  EXPECT_FALSE(findConversion(ScalarType::F64, ScalarType::F16, all));
  EXPECT_FALSE(findConversion(ScalarType::F32, ScalarType::BF16, all));
}

TEST(Conversions, HaveTextsForNumbersOfLanes) {
  const Conversion& widen = *findConversion(ScalarType::F16, ScalarType::F32, V3);
  for (int64_t lanes : {4, 8, 16}) {
    ASSERT_TRUE(widen.textOf(lanes));
    EXPECT_EQ(widen.textOf(lanes), widen.textOfMore(lanes));
  }
  EXPECT_FALSE(widen.textOf(2));
  EXPECT_EQ(widen.textOfMore(2), widen.textOf(4));
  EXPECT_FALSE(widen.textOfMore(17));
}

}  // namespace
}  // namespace einc::ir
