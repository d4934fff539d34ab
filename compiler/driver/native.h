// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Runs a kernel as its users would: emits C, compiles it for this machine, loads it, calls it
// through the C ABI.
#pragma once

#include <string>
#include <variant>

#include "compiler/driver/exit.h"
#include "compiler/driver/pipeline.h"
#include "compiler/interp/interpreter.h"

namespace einc::driver {

// The kernel's status, or the exit code after the reason was printed (no compiler, say).
std::variant<interp::Status, ExitCode> runNative(const Compiled& compiled, const Targets& targets,
                                                 const interp::Arguments& arguments,
                                                 const std::string& compiler,
                                                 const std::string& plant);

}  // namespace einc::driver
