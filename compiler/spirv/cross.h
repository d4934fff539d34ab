// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A module as text in other shading languages, by SPIRV-Cross. They refuse those that are
// not one compute shader.
#pragma once

#include <string>

#include "compiler/spirv/words.h"
#include "compiler/support/result.h"

namespace einc::spirv {

// Metal 2.2. The kernel is main0; binding B is buffer(B), whatever its set, so a B that two buffers
// share is refused. Push constants are the buffer after the last. Doubles are refused: Metal has
// none.
Result<std::string> toMsl(const Module& module);

// HLSL, shader model 6.2. The kernel is main; binding B of set S is register tB or uB of space S,
// push constants are a constant buffer b0, gl_NumWorkGroups is one more, b1 (HLSL has no other way
// to it). Specialisation constants are macros, SPIRV_CROSS_CONSTANT_ID_0 and so on.
Result<std::string> toHlsl(const Module& module);

// GLSL 450 for Vulkan.
Result<std::string> toGlsl(const Module& module);

}  // namespace einc::spirv
