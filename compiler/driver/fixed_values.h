// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// --dim and --attr, put into kernels.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "compiler/driver/commands.h"
#include "compiler/driver/load.h"
#include "compiler/support/result.h"

namespace einc::driver {

// Into a kernel, or into all; names that are not its own are left.
Result<ir::Kernel> fixValues(const ir::Kernel& kernel, const std::map<std::string, int64_t>& dims,
                             const std::map<std::string, std::string>& attributes);
std::variant<ir::Module, ExitCode> fixValues(const Loaded& loaded,
                                             const std::map<std::string, std::string>& attributes);

}  // namespace einc::driver
