// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The libraries of --lib on this machine.
#pragma once

#include <string>

#include "compiler/support/result.h"

namespace einc::bench {

// The file of "cblas" or "blis" that programs load.
std::string fileOf(const std::string& library);

// Which it is, its version, and the kernels that it runs on this CPU; or why there is none. It is
// asked in a process of its own: some end theirs for a variable that they do not like.
Result<std::string> installed(const std::string& library);

// The CPU's name for itself.
std::string cpuName();

}  // namespace einc::bench
