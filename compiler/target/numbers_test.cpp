// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/target/numbers.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "compiler/target/target.h"

namespace einc::target {
namespace {

TEST(Numbers, EachSaysWhatItMeansAndWhereItComesFrom) {
  std::set<std::string_view> names;
  for (const NumberRow& row : numberRows()) {
    EXPECT_FALSE(row.measured.empty()) << row.name;
    EXPECT_GE(row.value, 0) << row.name;
    if (!row.target.empty()) continue;
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " has two rows";
    EXPECT_FALSE(row.unit.empty() || row.meaning.empty()) << row.name;
  }
}

// What was measured says what came out: figures.
TEST(Numbers, MeasurementsHaveFigures) {
  for (const NumberRow& row : numberRows())
    if (row.machine != Machine::None && row.machine != Machine::Unnamed)
      EXPECT_TRUE(row.measured.find_first_of("0123456789") != std::string_view::npos ||
                  row.measured.rfind("as for ", 0) == 0)
          << row.name;
}

// A row of a target's own is about one that there is, and says something else than the common row.
TEST(Numbers, RowsOfATargetAreOfOneThatThereIs) {
  for (const NumberRow& own : numberRows()) {
    if (own.target.empty()) continue;
    EXPECT_NE(find(own.target), nullptr) << own.target;
    for (const NumberRow& common : numberRows())
      if (common.target.empty() && common.name == own.name)
        EXPECT_NE(common.value, own.value) << own.target << " " << own.name;
  }
}

TEST(Numbers, EachTargetHasItsOwnOrTheCommonOne) {
  for (const Target& target : all()) {
    int64_t places = 0, ahead = 0;
    for (const NumberRow& row : numberRows()) {
      if (!row.target.empty() && row.target != numbersAre(target.name)) continue;
      if (row.name == "places") places = row.value;
      if (row.name == "ahead") ahead = row.value;
    }
    EXPECT_EQ(target.numbers.places, places) << target.name;
    EXPECT_EQ(target.numbers.ahead, ahead) << target.name;
  }
  EXPECT_EQ(find("znver5")->numbers.places, 1);
  EXPECT_EQ(find("x86-64-v4")->numbers.places, 4);
  // What has more instructions is as fast with memory.
  for (const Target& target : all())
    if (!target.isOneCpu && target.name.rfind("x86-64-v4-", 0) == 0)
      EXPECT_EQ(target.numbers.places, 4) << target.name;
  EXPECT_EQ(find("vulkan-software")->device->numbers.unrolledRounds, 0);
  EXPECT_EQ(find("vulkan-desktop")->device->numbers.unrolledRounds, 16);
}

}  // namespace
}  // namespace einc::target
