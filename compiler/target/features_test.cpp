// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/target/features.h"

#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "compiler/target/target.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

namespace einc::target {
namespace {

TEST(Features, AreSets) {
  constexpr Features two = Feature::V3 | Feature::Vnni;
  EXPECT_TRUE(two.hasAll(Feature::V3) && two.hasAll({}) && two.hasAll(two));
  EXPECT_FALSE(two.hasAll(Feature::V3 | Feature::Bf16));
  EXPECT_TRUE(two.hasAny(Feature::V3 | Feature::Bf16));
  EXPECT_FALSE(two.hasAny(Feature::Bf16) || two.hasAny({}));
  EXPECT_EQ(two.without(Feature::V3 | Feature::Bf16), Features(Feature::Vnni));
}

// What finds out what a CPU has starts with them.
TEST(Features, OfAllCpusHaveNoParts) {
  for (const Cpuid& part : cpuids()) EXPECT_FALSE(kOfAll.hasAll(part.feature)) << part.flag;
  for (const Hwcap& part : hwcaps()) EXPECT_FALSE(kOfAll.hasAll(part.feature)) << part.flag;
  EXPECT_EQ(Features(Feature::Sse2).bits(), 1U);
}

TEST(Features, ArePartsOfTheirArchitecture) {
  for (const Cpuid& part : cpuids()) {
    EXPECT_EQ(architectureOf(part.feature), Architecture::X86) << part.flag;
    EXPECT_LT(part.bit, 32U) << part.flag;
  }
  for (const Hwcap& part : hwcaps())
    EXPECT_EQ(architectureOf(part.feature), Architecture::AArch64) << part.flag;
}

// The last one that a CPU can run is the best for it, and any that can run a later one has something for it.
TEST(Features, OfATargetAreThoseOfItsArchitectureAndMoreThanBefore) {
  for (const Target& target : all()) {
    for (const Cpuid& part : cpuids())
      EXPECT_FALSE(target.architecture != Architecture::X86 && target.features.hasAll(part.feature))
          << target.name;
    for (const Hwcap& part : hwcaps())
      EXPECT_FALSE(target.architecture != Architecture::AArch64 &&
                   target.features.hasAll(part.feature))
          << target.name;
    for (const Target& before : all()) {
      if (&before == &target) break;
      EXPECT_FALSE(before.features != target.features && before.features.hasAll(target.features) &&
                   before.architecture == target.architecture)
          << before.name << " stands before " << target.name;
    }
  }
}

#if defined(__x86_64__)
// The bits are those of the flags.
TEST(Features, OfThisMachineAreAsLlvmSays) {
  const llvm::StringMap<bool> flags = llvm::sys::getHostCPUFeatures();
  for (const Cpuid& part : cpuids()) {
    uint32_t answer[4] = {};
    __get_cpuid_count(part.leaf, part.subleaf, &answer[0], &answer[1], &answer[2], &answer[3]);
    if (!flags.lookup("avx") && part.states != 0) continue;  // the system may not save them
    EXPECT_EQ((answer[part.place] >> part.bit & 1) != 0,
              flags.lookup({part.flag.data(), part.flag.size()}))
        << part.flag;
  }
}
#endif

}  // namespace
}  // namespace einc::target
