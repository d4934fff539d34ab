// Part of Einc. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace einc::driver {

// What --lib=NAME is called on this machine, which of its versions is here, and which kernels it
// runs on this CPU: "OpenBLAS 0.3.21, kernels for Haswell". A sentence, too, if there is none. The
// library is asked in a process of its own: some end it for a variable they do not like.
std::string libraryHere(const std::string& library);

// The linker's flag for it.
std::string linkFlag(const std::string& library);

}  // namespace einc::driver
