// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tools/bazel/embed_text_sample.h"

namespace einc::sample {
namespace {

TEST(EmbedText, KeepsEveryByte) {
  std::ifstream file("tools/bazel/testdata/sample.txt", std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(kSample, expected);
}

TEST(EmbedText, TakesAnEmptyFile) { EXPECT_EQ(kEmpty, ""); }

}  // namespace
}  // namespace einc::sample
