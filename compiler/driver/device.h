// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Kernels for devices, from structured ones to shaders that are checked.
#pragma once

#include <variant>
#include <vector>

#include "compiler/driver/code_options.h"
#include "compiler/driver/shaders.h"

namespace einc::driver {

// Whether the code that is wanted is a device's.
bool isForDevice(const CodeOptions& options);
// What runs on the device that --device names, if --target says no more: its own description.
Result<Targets> deviceTargets(const Request& request);

// Runs the passes, emits the shaders and compiles them.
std::variant<std::vector<DeviceKernel>, ExitCode> compileForDevice(const ir::Module& module,
                                                                   const CodeOptions& options,
                                                                   const Tracing& tracing,
                                                                   const std::string& plant = "",
                                                                   Spirv spirv = Spirv::Optimised);

}  // namespace einc::driver
