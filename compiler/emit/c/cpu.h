// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What the code for a target may use, and how C asks whether the CPU has it: all of it follows from the
// target's features (target/features.def).
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/c/c.h"

namespace einc::emit {

// "_v4" for x86-64-v4; empty if there is just one target. No other one's begins with it and "_".
std::string targetSuffix(const target::Target& target, const COptions& options);

// What stands before code for a target, and behind it: what that may use.
struct Attribute {
  std::string push, pop;
};
Attribute attributeOf(const target::Target& target);

// The chunk of the prelude that finds out what the CPU has: "cpu".
std::string cpuChunk(const target::Target& target);
// Whether a kernel finds out first if the CPU can; code for this machine alone does not.
bool asksForCpu(const target::Target& target);
// Whether the CPU has all that the target's code uses, as C; and whether that is known already.
std::string cpuHas(const target::Target& target);
std::string cpuIsKnownToHave(const target::Target& target);
// Of the targets those of which any CPU must have one, to run any of their code: most often the first alone.
std::vector<const target::Target*> leastOf(const std::vector<TargetCode>& codes);

// The tables of find_cpu and find_cpu_aarch64 (prelude/scalars.h), in place of what stands for them there.
std::string withFeatures(std::string prelude);

}  // namespace einc::emit
