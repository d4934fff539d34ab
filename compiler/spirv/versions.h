// Part of Einc. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace einc::spirv {

// The libraries that shaders are compiled with, and which versions of them are linked or loaded.
std::vector<std::pair<std::string, std::string>> libraryVersions();

}  // namespace einc::spirv
