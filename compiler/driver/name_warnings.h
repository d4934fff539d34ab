// Part of Einc. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "compiler/driver/load.h"
#include "compiler/ir/ir.h"

namespace einc::driver {

// A warning for each def whose C function cannot have the def's name.
void warnOfNames(const Loaded& loaded, const ir::Module& module, const std::string& prefix);

}  // namespace einc::driver
