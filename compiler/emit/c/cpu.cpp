// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/cpu.h"

#include <algorithm>

#include "compiler/emit/text/replace.h"
#include "compiler/target/features.h"
#include "llvm/ADT/StringExtras.h"

namespace einc::emit {
namespace {

using target::Architecture;
using target::Features;

std::string hex(uint32_t bits) { return "0x" + llvm::utohexstr(bits, /*LowerCase=*/true); }

// The flags of the parts that these features have.
template <typename Part>
std::string flagsOf(Features features, const std::vector<Part>& parts) {
  std::string flags;
  for (const Part& part : parts)
    if (features.hasAll(part.feature)) flags += (flags.empty() ? "" : ",") + std::string(part.flag);
  return flags;
}

// Flags, not the name of a level: a name would take away what the command line allows beyond it, and
// compilers don't inline the vector functions of their headers into code that is allowed less.
std::string pragmasOf(Features features, const std::string& flags) {
  if (flags.empty()) return "";
  std::string pragmas;
  for (const target::Hwcap& part : target::hwcaps())
    if (features.hasAll(part.feature))
      pragmas += "#if !defined(" + std::string(part.macro) + ")\n#pragma GCC target(\"" +
                 std::string(part.gcc) + "\")\n#endif\n";
  return pragmas.empty() ? "#pragma GCC target(\"" + flags + "\")\n" : pragmas;
}

// The rows of find_cpu: one for all bits of a register that are of one feature.
std::string cpuidRows() {
  std::string rows;
  const std::vector<target::Cpuid>& parts = target::cpuids();
  auto same = [](const target::Cpuid& a, const target::Cpuid& b) {
    return a.feature == b.feature && a.leaf == b.leaf && a.subleaf == b.subleaf &&
           a.place == b.place && a.states == b.states;
  };
  for (auto part = parts.begin(); part != parts.end();) {
    uint32_t bits = 0;
    const target::Cpuid& first = *part;
    for (; part != parts.end() && same(*part, first); ++part) bits |= uint32_t{1} << part->bit;
    rows += "\n      {" + hex(Features(first.feature).bits()) + ", " + hex(first.leaf) + ", " +
            std::to_string(first.subleaf) + ", " + std::to_string(first.place) + ", " + hex(bits) +
            ", " + hex(first.states) + "},";
  }
  return rows;
}

std::string hwcapRows() {
  std::string rows;
  for (const target::Hwcap& part : target::hwcaps())
    rows += "\n      {" + hex(Features(part.feature).bits()) + ", " + std::to_string(part.word) +
            ", " + std::to_string(part.bit) + "},";
  return rows;
}

// What the compiler knows of the CPU, as a sum.
std::string knownFeatures() {
  std::string known;
  for (const target::Hwcap& part : target::hwcaps())
    known += "#if defined(" + std::string(part.macro) +
             ")\n  found |= " + hex(Features(part.feature).bits()) + ";\n#endif\n";
  return known;
}

}  // namespace

std::string targetSuffix(const target::Target& target, const COptions& options) {
  if (!options.severalTargets) return "";
  llvm::StringRef name = target.name;
  name.consume_front("x86-64-");
  std::string suffix = "_";
  for (char c : name)
    if (llvm::isAlnum(c)) suffix += c;
  return suffix;
}

Attribute attributeOf(const target::Target& target) {
  const std::string clang = target.architecture == Architecture::X86
                                ? flagsOf(target.features, target::cpuids())
                                : flagsOf(target.features, target::hwcaps());
  if (clang.empty()) return {};
  return {"#if defined(__clang__)\n#pragma clang attribute push(__attribute__((target(\"" + clang +
              "\"))), apply_to = function)\n#else\n#pragma GCC push_options\n" +
              pragmasOf(target.features, clang) + "#endif\n",
          "\n#if defined(__clang__)\n#pragma clang attribute pop\n#else\n"
          "#pragma GCC pop_options\n#endif\n"};
}

std::string cpuChunk(const target::Target& target) {
  return target.architecture == Architecture::AArch64 ? "cpu_aarch64" : "cpu";
}

bool asksForCpu(const target::Target& target) {
  return !target::kOfAll.hasAll(target.features) && target.name != "native";
}

std::string cpuHas(const target::Target& target) {
  return "einc_" + cpuChunk(target) + "(" + hex(target.features.bits()) + ")";
}

std::string cpuIsKnownToHave(const target::Target& target) {
  const std::string features = hex(target.features.bits());
  return "(__atomic_load_n(&einc_known_" + cpuChunk(target) + ", __ATOMIC_RELAXED) & " + features +
         ") == " + features;
}

std::vector<const target::Target*> leastOf(const std::vector<TargetCode>& codes) {
  std::vector<const target::Target*> least;
  for (const TargetCode& code : codes)
    if (std::none_of(least.begin(), least.end(), [&](const target::Target* other) {
          return code.target->features.hasAll(other->features);
        }))
      least.push_back(code.target);
  return least;
}

std::string withFeatures(std::string prelude) {
  replaceAll(prelude, "EINC_CPUIDS", cpuidRows() + "\n  ");
  replaceAll(prelude, "EINC_HWCAPS", hwcapRows() + "\n  ");
  replaceAll(prelude, "EINC_NEON", hex(Features(target::Feature::Neon).bits()));
  replaceAll(prelude, "  EINC_KNOWN_FEATURES\n", knownFeatures());
  return prelude;
}

}  // namespace einc::emit
