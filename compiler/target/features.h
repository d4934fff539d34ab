// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What CPUs have, one row each in features.def, and sets of it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace einc::target {

enum class Architecture : uint8_t { Generic, X86, AArch64, Device };

enum class Feature : uint8_t {
#define EINC_FEATURE(name, architecture) name,
#include "compiler/target/features.def"
};

class Features {
 public:
  constexpr Features() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one is a set
  constexpr Features(Feature feature) : bits_(uint32_t{1} << static_cast<unsigned>(feature)) {}

  // A bit for each, in the table's order; in C, too.
  constexpr uint32_t bits() const { return bits_; }
  constexpr bool hasAll(Features others) const { return (others.bits_ & ~bits_) == 0; }
  constexpr bool hasAny(Features others) const { return (others.bits_ & bits_) != 0; }

  constexpr Features without(Features others) const {
    Features rest;
    rest.bits_ = bits_ & ~others.bits_;
    return rest;
  }
  friend constexpr Features operator|(Features a, Features b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(Features, Features) = default;

 private:
  uint32_t bits_ = 0;
};
constexpr Features operator|(Feature a, Feature b) { return Features(a) | b; }

// A part of a feature of x86-64: a bit of what cpuid answers.
struct Cpuid {
  enum Register : uint8_t { Eax, Ebx, Ecx, Edx };

  Feature feature;
  std::string_view flag;  // Clang's, GCC's and LLVM's
  uint32_t leaf, subleaf;
  Register place;
  unsigned bit;
  uint32_t states;  // that the system saves
};
// What Linux says of a feature of AArch64.
struct Hwcap {
  Feature feature;
  std::string_view flag, gcc;  // for target("..."), GCC's where the macro is not defined
  std::string_view macro;
  unsigned word, bit;
};

// The rows of features.def.
const std::vector<Cpuid>& cpuids();
const std::vector<Hwcap>& hwcaps();

Architecture architectureOf(Feature feature);

// What every CPU of an architecture has: nobody asks for it.
constexpr Features kOfAll = Feature::Sse2 | Feature::Neon;

}  // namespace einc::target
