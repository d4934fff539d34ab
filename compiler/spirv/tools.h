// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Checks, rewrites and prints modules, by SPIRV-Tools (tools.cpp is the only file that knows it).
// All may be called from any thread.
#pragma once

#include <map>
#include <string>

#include "compiler/spirv/words.h"
#include "compiler/support/result.h"

namespace einc::spirv {

// The words as a module; or why they are none that Vulkan 1.1 takes, in the words of spirv-val. Takes whatever
// words. A module whose words have the other byte order is none. (spirv-val lets some slips pass on
// which SPIRV-Cross ends the process; those that are known are refused here.)
Result<Module> validated(Words words);

// The module after the passes of spirv-opt that make it faster. Bindings and
// specialisation constants stay, used or not; a block of push constants goes if nothing reads it.
// Floating-point operations are rewritten as if they were exact, unless the shader calls them
// `precise`.
Result<Module> optimise(const Module& module);

// The module with constants in place of its specialisation constants, and what follows from them
// computed: those given by id as bits, one word or, for 64 bits, two (low ones first), the others
// at their defaults. Refuses ids that the module lacks and values of another width.
Result<Module> specialise(const Module& module, const std::map<uint32_t, Words>& values = {});

// In the text form of spirv-dis, with friendly names.
Result<std::string> disassemble(const Module& module);

// "Float64", "GroupNonUniformArithmetic", ...: what SPIR-V calls a capability.
std::string nameOfCapability(uint32_t capability);

}  // namespace einc::spirv
