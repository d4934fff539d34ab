// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The libraries of --lib on this machine.
#pragma once

#include <string>

namespace einc::bench {

// The file of "cblas" or "blis" that programs load.
std::string fileOf(const std::string& library);

// Which it is, its version, and the kernels that it runs on this CPU; a sentence, too, if there is
// none. It is asked in a process of its own: some end theirs for a variable that they do not like.
std::string installed(const std::string& library);

}  // namespace einc::bench
