// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "runtime/status.h"

#include <gtest/gtest.h>

#include <climits>
#include <set>
#include <string>

#include "runtime/result.hpp"

namespace {

struct Row {
  const char *name;
  int value;
  const char *sentence;
};

const Row kTable[] = {
#define EINC_STATUS(name, value, sentence) {#name, value, sentence},
#include "runtime/status.def"
#undef EINC_STATUS
};

TEST(Status, EveryRowHasItsOwnNegativeNumberAndSentence) {
  std::set<int> values;
  std::set<std::string> sentences;
  for (const Row &row : kTable) {
    EXPECT_TRUE(row.value < 0 || (row.value == 0 && std::string(row.name) == "OK")) << row.name;
    EXPECT_TRUE(values.insert(row.value).second) << row.name;
    EXPECT_TRUE(sentences.insert(row.sentence).second) << row.name;
    EXPECT_STREQ(einc_status_string(row.value), row.sentence);
    EXPECT_NE(std::string(row.sentence).back(), '.') << row.name;
  }
}

// These numbers are compiled into users' programs.
TEST(Status, NumbersAreFixed) {
  EXPECT_EQ(EINC_OK, 0);
  EXPECT_EQ(EINC_NULL_DESCRIPTOR, -1);
  EXPECT_EQ(EINC_NULL_DATA, -2);
  EXPECT_EQ(EINC_NEGATIVE_SIZE, -3);
  EXPECT_EQ(EINC_SIZE_MISMATCH, -4);
  EXPECT_EQ(EINC_OUT_OF_RANGE, -5);
  EXPECT_EQ(EINC_OVERFLOW, -6);
  EXPECT_EQ(EINC_MISALIGNED, -7);
  EXPECT_EQ(EINC_SELF_OVERLAP, -8);
  EXPECT_EQ(EINC_ALIASED, -9);
  EXPECT_EQ(EINC_BAD_ATTRIBUTE, -10);
  EXPECT_EQ(EINC_DIVISION_BY_ZERO, -11);
  EXPECT_EQ(EINC_OUT_OF_MEMORY, -12);
  EXPECT_EQ(EINC_BAD_WORKSPACE, -13);
  EXPECT_EQ(EINC_UNSUPPORTED_CPU, -14);
  EXPECT_EQ(EINC_BAD_VIEW, -20);
  EXPECT_EQ(EINC_WOULD_ALIAS, -21);
  EXPECT_EQ(EINC_NOT_CONTIGUOUS, -22);
  EXPECT_EQ(EINC_DLPACK_VERSION, -30);
}

TEST(Status, UnknownNumbersAreNamedToo) {
  for (int status : {1, -19, -1000, INT_MIN, INT_MAX}) {
    EXPECT_STREQ(einc_status_string(status), "unknown Einc status");
  }
}

TEST(Result, HoldsAValueOrAReason) {
  einc::Result<std::string> seven = std::string("7");
  einc::Result<std::string> none = EINC_OUT_OF_RANGE;
  EXPECT_TRUE(seven.ok());
  EXPECT_EQ(*seven, "7");
  EXPECT_EQ(seven.status(), EINC_OK);
  EXPECT_FALSE(none);
  EXPECT_EQ(none.status(), EINC_OUT_OF_RANGE);
}

TEST(Result, ChainsUntilTheFirstFailure) {
  const auto twice = [](const std::string &s) { return einc::Result<std::string>(s + s); };
  EXPECT_EQ(*einc::Result<std::string>(std::string("ab")).and_then(twice).and_then(twice),
            "abababab");
  const einc::Result<std::string> none = EINC_BAD_VIEW;
  EXPECT_EQ(none.and_then(twice).status(), EINC_BAD_VIEW);
}

TEST(ResultDeathTest, MisuseAbortsWithTheReason) {
  const einc::Result<std::string> none = EINC_OUT_OF_RANGE;
  EXPECT_DEATH((void)none.value(), "value\\(\\) without a value: an access would leave a tensor");
  EXPECT_DEATH((void)einc::Result<std::string>(EINC_OK), "needs a value");
}

}  // namespace
