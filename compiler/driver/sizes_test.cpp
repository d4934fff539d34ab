// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/sizes.h"

#include <gtest/gtest.h>

namespace einc::driver {
namespace {

std::string reasonOf(const std::vector<std::string>& texts) {
  auto ranges = parseSizes(texts);
  return ranges ? "" : ranges.reason();
}

TEST(Sizes, ThoseOfOneFlagChangeTogether) {
  auto ranges = parseSizes({"M,N=2,30", "K=5,7", "Q=1,2,3"});
  ASSERT_TRUE(ranges) << ranges.reason();
  auto combined = combine(*ranges, {"K", "M", "N"});
  ASSERT_TRUE(combined) << combined.reason();
  std::vector<Sizes> expected = {{{"K", 5}, {"M", 2}, {"N", 2}},
                                 {{"K", 7}, {"M", 2}, {"N", 2}},
                                 {{"K", 5}, {"M", 30}, {"N", 30}},
                                 {{"K", 7}, {"M", 30}, {"N", 30}}};
  EXPECT_EQ(*combined, expected);
  EXPECT_EQ(combine({}, {})->size(), 1u);
}

TEST(Sizes, SaysWhatIsWrong) {
  EXPECT_NE(reasonOf({"M"}).find("NAMES=VALUES"), std::string::npos);
  EXPECT_NE(reasonOf({"M,=3"}).find("NAMES=VALUES"), std::string::npos);
  EXPECT_NE(reasonOf({"M=3,x"}).find("'x' is no size"), std::string::npos);
  EXPECT_NE(reasonOf({"M=0"}).find("'0' is no size"), std::string::npos);
  EXPECT_NE(reasonOf({"M=99999999999999999999"}).find("is no size"), std::string::npos);
  EXPECT_NE(reasonOf({"M=1", "N,M=2"}).find("'M' stands twice"), std::string::npos);
  EXPECT_NE(combine({}, {"M", "N"}).reason().find("no sizes of M, N"), std::string::npos);
  std::vector<SizeRange> many;
  for (const char* name : {"A", "B", "C", "D", "E"})
    many.push_back({{name}, {1, 2, 3, 4, 5, 6, 7, 8}});
  EXPECT_NE(combine(many, {"A", "B", "C", "D", "E"}).reason().find("more than 4096"),
            std::string::npos);
}

}  // namespace
}  // namespace einc::driver
