// Part of Einc. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace einc::affine {

// The libraries that sets are computed with, and which versions of them are linked.
std::vector<std::pair<std::string, std::string>> libraryVersions();

}  // namespace einc::affine
