// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Invocations that get in each other's way are found, and only those.
#include <gtest/gtest.h>

#include <string>

#include "compiler/interp/interpreter.h"
#include "compiler/interp/test_kernels.h"
#include "compiler/ir/test_text.h"

namespace einc::interp {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

// %C[i] = %A[...], in two workgroups of four invocations.
Outcome outcomeOf(const std::string& inside) {
  ir::Kernel kernel = ir::test::goodKernel(
      "kernel @f(%A: tensor<M x f32>) -> (%C: tensor<M x f32>) level hardware {"
      " dispatch d (4, 1, 1) { tile g : gs = 0 .. M by 4 parallel on workgroups x {"
      " alloc %t: tensor<4 x f32> in workgroup " +
      inside + " } } }");
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8};
  View a = floats({8}, values), c = floats({8});
  return run(kernel, {{a, c}, {}});
}

const std::string kWrite = "for i = 0 .. 4 parallel on invocations x { %t[i] = %A[g + i] } ";
const std::string kReadOthers = "for j = 0 .. 4 parallel on invocations { %C[g + j] = %t[3 - j] } ";
const std::string kReadOwn = "for j = 0 .. 4 parallel on invocations { %C[g + j] = %t[j] } ";
const std::string kReadFirst = "for j = 0 .. 4 parallel on invocations { %C[g + j] = %t[0] } ";

TEST(Races, OwnElementsNeedNoBarrier) { EXPECT_TRUE(outcomeOf(kWrite + kReadOwn).ok()); }

TEST(Races, WrittenElementsOfOthersNeedOne) {
  Outcome missing = outcomeOf(kWrite + kReadOthers);
  EXPECT_FALSE(missing.ok());
  EXPECT_EQ(missing.message, "two invocations get in each other's way in %t");
  EXPECT_TRUE(outcomeOf(kWrite + "barrier " + kReadOthers).ok());
}

TEST(Races, ElementsThatOthersStillReadAreNotWritten) {
  EXPECT_FALSE(outcomeOf(kWrite + "barrier " + kReadOthers + kWrite).ok());
  EXPECT_TRUE(outcomeOf(kWrite + "barrier " + kReadOthers + "barrier " + kWrite).ok());
  // By several, of which the last is the one that writes.
  EXPECT_FALSE(outcomeOf(kWrite + "barrier " + kReadFirst +
                         "for k = 0 .. 1 parallel on invocations { %t[k] = 0.0_f32 }")
                   .ok());
  EXPECT_TRUE(outcomeOf(kWrite + "barrier " + kReadFirst +
                        "barrier for k = 0 .. 1 parallel on invocations { %t[k] = 0.0_f32 }")
                  .ok());
}

TEST(Races, BuffersHaveBarriersOfTheirOwn) {
  const std::string write = "for i = 0 .. 4 parallel on invocations x { %C[g + i] = %A[g + i] } ";
  const std::string readOthers =
      "for j = 0 .. 4 parallel on invocations { %t[j] = %C[g + 3 - j] } ";
  EXPECT_FALSE(outcomeOf(write + "barrier " + readOthers).ok());
  EXPECT_FALSE(outcomeOf(write + "barrier barrier " + readOthers).ok());
  EXPECT_TRUE(outcomeOf(write + "barrier buffers " + readOthers).ok());
  EXPECT_TRUE(outcomeOf(write + "barrier buffers barrier " + readOthers).ok());
  // Whoever writes later only has to wait.
  EXPECT_TRUE(outcomeOf(readOthers + "barrier " + write).ok());
  EXPECT_FALSE(outcomeOf(readOthers + write).ok());
}

TEST(Races, BarriersAreForOneWorkgroup) {
  Outcome outcome =
      outcomeOf("for i = 0 .. 4 parallel on invocations x { %C[i] = %A[i] } barrier ");
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.message, "two invocations get in each other's way in %C");
}

TEST(Races, NumbersOfInvocationsAreThoseOfTheWorkgroup) {
  // Rounds 4 to 7 are those of invocations 0 to 3.
  EXPECT_TRUE(
      outcomeOf("for i = 0 .. 8 parallel on invocations { %t[i mod 4] = %A[i] } " + kReadOwn).ok());
  EXPECT_FALSE(
      outcomeOf("for i = 0 .. 6 parallel on invocations { %t[i mod 3] = %A[i] } " + kReadOwn).ok());
}

}  // namespace
}  // namespace einc::interp
