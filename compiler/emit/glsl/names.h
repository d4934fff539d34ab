// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Names in GLSL.
#pragma once

#include <string>

namespace einc::emit {

// The name, or one close to it that GLSL does not take for itself: keywords, builtin functions, types
// of extensions.
std::string glslMangled(std::string name);

}  // namespace einc::emit
