// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/target/features.h"

#include <cstddef>

namespace einc::target {

const std::vector<Cpuid>& cpuids() {
  static const std::vector<Cpuid> rows = {
#define EINC_CPUID(feature, flag, leaf, subleaf, place, bit, states) \
  {Feature::feature, flag, leaf, subleaf, Cpuid::place, bit, states},
#include "compiler/target/features.def"
  };
  return rows;
}

const std::vector<Hwcap>& hwcaps() {
  static const std::vector<Hwcap> rows = {
#define EINC_HWCAP(feature, flag, gcc, macro, word, bit) \
  {Feature::feature, flag, gcc, macro, word, bit},
#include "compiler/target/features.def"
  };
  return rows;
}

Architecture architectureOf(Feature feature) {
  static constexpr Architecture kArchitectures[] = {
#define EINC_FEATURE(name, architecture) Architecture::architecture,
#include "compiler/target/features.def"
  };
  return kArchitectures[static_cast<size_t>(feature)];
}

}  // namespace einc::target
