// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// `einc bench --engine=vulkan`: a kernel's time on a device, beside what the device can do.
#pragma once

#include <optional>

#include "compiler/driver/commands.h"
#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::driver {

// The flag of the command line that makes no sense on a device.
std::optional<Reason> refuseForDevice(const Request& request, const BenchOptions& options);

// `kernel` has its sizes and attributes in it. The exit code, after the table and the files.
int benchOnDevice(const ir::Kernel& kernel, const Request& request, const BenchOptions& options);

}  // namespace einc::driver
