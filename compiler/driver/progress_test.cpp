// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/progress.h"

#include <chrono>
#include <csignal>
#include <thread>

#include "compiler/driver/interruption.h"
#include "gtest/gtest.h"

namespace einc::driver {
namespace {

TEST(ProgressTest, TellsWhatAndHowLong) {
  EXPECT_EQ(progressText("compiling", 3.2, 0), "compiling (4 s)");
  EXPECT_EQ(progressText("compiling", 3, 29.5), "compiling (3 s, about 30 s left)");
  EXPECT_EQ(durationText(119), "119 s");
  EXPECT_EQ(durationText(121), "3 min");
}

TEST(ProgressTest, IsSilentWhereLittleTimePasses) {
  testing::internal::CaptureStderr();
  {
    Progress progress;
    Progress::say("a moment");
    Progress::plan(5);
    EXPECT_NEAR(Progress::secondsLeft(), 5, 1);
    Progress::done(5);
    EXPECT_DOUBLE_EQ(Progress::secondsLeft(), 0);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(InterruptionTest, NotesTheFirstSignalAndGivesALaterOneBack) {
  static int count = 0;
  count = 0;
  void (*before)(int) = ::signal(SIGTERM, [](int) { ++count; });
  {
    Interruption interruption;
    EXPECT_EQ(Interruption::seen(), 0);
    ::raise(SIGTERM);
    EXPECT_EQ(Interruption::seen(), SIGTERM);
    ::raise(SIGTERM);  // of the same delivery
    EXPECT_EQ(count, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    ::raise(SIGTERM);
    EXPECT_EQ(count, 1);
  }
  ::signal(SIGTERM, before);
}

}  // namespace
}  // namespace einc::driver
