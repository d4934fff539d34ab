// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Texts of the prelude made into others: GLSL from C, 64-bit types from 32-bit ones, vectors from
// scalars. Comments stay as they are.
#pragma once

#include <cstdint>
#include <string>

namespace einc::emit {

// A chunk of prelude/functions.h, for 16 lanes, as a function of GLSL for one. Its float results
// are precise, so that its operations are rounded one by one, as they are in C.
std::string glslOfC(const std::string& text);

// "exp_f32x16" without the lanes.
std::string withoutLanes(const std::string& chunk);

// Whether GLSL itself, or what glslOfC makes, has what this chunk of vectors.h does: bits, selects.
bool isGlslOwn(const std::string& chunk);

// The GLSL text of a function for i32, u32 or f32 (or its name, "exp_f32") for i64, u64 or f64.
std::string widened(const std::string& text);
// Whether that is for f64.
bool isOfFloats(const std::string& text);

// The function `name`, which the text defines for scalars, for vectors of so many lanes.
std::string overload(const std::string& text, const std::string& name, int64_t lanes);

// A number as a literal: "1.5", with the suffix lf for f64. Infinity, NaN and f32's subnormal
// numbers by their bits.
std::string floatText(double value, bool isDouble);

}  // namespace einc::emit
