// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/schedules.h"

#include <gtest/gtest.h>

#include <fstream>

#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/pipeline/pipeline.h"

namespace einc::driver {
namespace {

// Two defs on two targets, with a setting of a schedule file.
class SchedulesTest : public testing::Test {
 protected:
  SchedulesTest() {
    write("two.tc",
          "def product(A: f32(M, K), B: f32(K, N)) -> (C: f32(M, N)) "
          "{ C(m, n) +=! A(m, k) * B(k, n); }\n"
          "def shifted(A: f32(N)) -> (C: f32(N)) { C(n) = A(n) + 1.0; }\n");
    write("two.sched",
          "einc_schedule 1\n"
          "schedule @product for \"x86-64-v3\" { op 1 contraction { kc = 64 } }\n");
    request_.specs = {path("two.tc")};
    request_.targets = {"x86-64-v3", "x86-64-v4"};
    request_.schedule = path("two.sched");
  }

  static std::string path(const std::string& name) { return testing::TempDir() + name; }
  static void write(const std::string& name, const std::string& text) {
    std::ofstream(path(name)) << text;
  }

  // How many kernels the command schedules; it succeeds.
  template <typename Command>
  static int scheduledBy(const Command& command) {
    const int before = pipeline::scheduledKernels();
    testing::internal::CaptureStdout();
    EXPECT_EQ(command(), kSuccess);
    testing::internal::GetCapturedStdout();
    return pipeline::scheduledKernels() - before;
  }

  Request request_;
};

TEST_F(SchedulesTest, EachDefIsScheduledOnceForEachTarget) {
  for (const char* stage : {"schedule", "tiled", "hw", "c", "header", "manifest"}) {
    EmitOptions options;
    options.stage = stage;
    EXPECT_EQ(scheduledBy([&] { return emit(request_, options); }), 4) << stage;
  }
  EXPECT_EQ(scheduledBy([&] { return explainSchedule(request_, false); }), 4);
  BuildOptions options;
  options.folder = path("two");
  options.sourcesOnly = true;
  EXPECT_EQ(scheduledBy([&] { return build(request_, options); }), 4);
}

TEST_F(SchedulesTest, SettingsThatCannotBeAreRefusedWhereTheyStand) {
  write("two.sched",
        "einc_schedule 1\n"
        "schedule @product for \"x86-64-v3\" { op 1 contraction { kc = 0 } }\n");
  EmitOptions options;
  options.stage = "c";
  testing::internal::CaptureStderr();
  EXPECT_EQ(emit(request_, options), kBadInput);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("two.sched:2:56: error: "), std::string::npos) << said;
}

}  // namespace
}  // namespace einc::driver
