// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Facts about machines, one row each in target.def, and what was measured on them (numbers.def).
// No algorithms: what follows from the facts is in strategy/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/target/device.h"
#include "compiler/target/features.h"
#include "compiler/target/numbers.h"

namespace einc::target {

struct Cache {
  int64_t bytes;  // what one core can use
  int ways;
};

struct Target {
  std::string_view name;  // as --target= spells it
  Architecture architecture;
  bool isOneCpu;  // that the name is of, as LLVM calls it; false: of all that have the features
  std::string_view march;  // for -march=; empty: the compiler's own
  Features features;       // that its code uses
  int vectorBytes;         // of a register; 0: no vectors
  int vectorRegisters;
  bool hasFma;           // a * b + c with one rounding is an instruction
  bool hasMasks;         // loads and stores of the first n lanes are instructions like those of all
  bool masksEnds;        // they take longer, but less than lanes one by one
  bool hasMaxOfNumbers;  // max and min that are right for floats but NaN are one instruction, those
                         // that are right for NaN, too, are several
  int fmaLatency, fmasPerCycle, loadsPerCycle;  // cycles; vector instructions
  Cache l1, l2, l3;
  Numbers numbers = {};
  const Device* device = nullptr;  // that runs shaders, in place of all that is above; null: a CPU

  // With VL, DQ and BW.
  bool hasAvx512() const { return architecture == Architecture::X86 && vectorBytes == 64; }
  // Lanes of a full register.
  int lanes(int bytesOfElement) const { return vectorBytes / bytesOfElement; }
};

// All rows, the most modest of an architecture first; devices (device.h) last.
const std::vector<Target>& all();
// "native" is the host, and kNativeDevice what setNativeDevice was given; they are in no row.
const Target* find(std::string_view name);

// The device that is in this machine. Only who runs on devices can describe it: find() knows it
// from then on. At most once, and before any use of it on another thread.
constexpr std::string_view kNativeDevice = "vulkan-native";
const Target& setNativeDevice(const Device& device);

// This machine, as the row that fits it best, with the caches that the system reports. What is
// shared (the last level) stays as the row has it: other cores use it, too.
const Target& host();

}  // namespace einc::target
