// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// GLSL to SPIR-V, by glslang (compile.cpp is the only file that knows it).
#pragma once

#include <string>

#include "compiler/spirv/words.h"
#include "compiler/support/result.h"

namespace einc::spirv {

// One compute shader in GLSL 450, for Vulkan 1.1 (SPIR-V 1.3). A reason is glslang's first error,
// with the line of the shader, whose file is called `name`:
//
//   scale.comp:7: 'y' : undeclared identifier
//     x[i] = 2.0 * y;
//
// Takes whatever text; but glslang recurses, so expressions nested by the ten thousand may exhaust
// the stack. From any thread.
Result<Words> compile(const std::string& glsl, const std::string& name);

}  // namespace einc::spirv
