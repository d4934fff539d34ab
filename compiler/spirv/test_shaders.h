// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Shaders for tests of this folder, and modules of them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "compiler/spirv/compile.h"
#include "compiler/spirv/tools.h"

namespace einc::spirv {

// Of a shader that compiles.
inline Module moduleOf(const std::string& shader) {
  auto words = compile(shader, "test.comp");
  EXPECT_TRUE(words) << words.reason();
  auto module = validated(words ? std::move(*words) : Words());
  EXPECT_TRUE(module) << module.reason();
  return *module;
}

// C = scale A B, by square tiles in shared memory, whose side is a specialisation constant.
inline constexpr const char* kMatmul = R"(#version 450
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint kTile = 16;
layout(constant_id = 3) const float kScale = 0.5;
layout(set = 0, binding = 0) readonly buffer ABlock { float a[]; };
layout(set = 0, binding = 1) readonly buffer BBlock { float b[]; };
layout(set = 0, binding = 2) writeonly buffer CBlock { float c[]; };
layout(set = 0, binding = 3) buffer Unused { uint unused[]; };
layout(push_constant) uniform Sizes { uint m, n, k; int unusedOffset; vec4 unusedVector; } sizes;
shared float tileA[kTile * kTile];
shared float tileB[kTile * kTile];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint row = gl_WorkGroupID.y * kTile + y, column = gl_WorkGroupID.x * kTile + x;
  float sum = 0.0;
  for (uint k = 0; k < sizes.k; k += kTile) {
    tileA[y * kTile + x] = row < sizes.m && k + x < sizes.k ? a[row * sizes.k + k + x] : 0.0;
    tileB[y * kTile + x] = k + y < sizes.k && column < sizes.n ? b[(k + y) * sizes.n + column] : 0.0;
    barrier();
    for (uint i = 0; i < kTile; ++i) sum += tileA[y * kTile + i] * tileB[i * kTile + x];
    barrier();
  }
  if (row < sizes.m && column < sizes.n) c[row * sizes.n + column] = kScale * sum;
}
)";

inline constexpr const char* kHalf = R"(#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(constant_id = 7) const int16_t kShift = int16_t(-3);
layout(set = 0, binding = 0) readonly buffer X { f16vec4 x[]; };
layout(set = 0, binding = 1) readonly buffer S { int8_t s[]; };
layout(set = 0, binding = 2) writeonly buffer Y { float16_t y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  y[i] = x[i].y * float16_t(s[i]) + float16_t(kShift);
}
)";

inline constexpr const char* kDouble = R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
layout(constant_id = 0) const double kFactor = 1.5;
layout(constant_id = 1) const bool kNegate = true;
layout(constant_id = 2) const int64_t kLong = -5000000000L;
layout(constant_id = 3) const uint64_t kUnsigned = 5000000000UL;
layout(set = 0, binding = 0) buffer X { double x[]; };
void main() {
  uint i = gl_GlobalInvocationID.x * gl_NumWorkGroups.x;
  x[i] = (kNegate ? -kFactor : kFactor) * x[i] + double(kLong) * double(kUnsigned);
}
)";

// A sum over the subgroup, structs and blocks of several members.
inline constexpr const char* kSubgroup = R"(#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 32) in;
struct Pair { vec3 value; bool isSet; };
layout(set = 1, binding = 4) buffer Block { uint count; float x[]; } block;
layout(set = 0, binding = 2) buffer Pairs { vec2 pairs[]; };
shared Pair shared_pairs[32];
void main() {
  uint i = gl_LocalInvocationID.x;
  shared_pairs[i].value = vec3(block.x[i]);
  shared_pairs[i].isSet = i < block.count;
  barrier();
  float sum = subgroupAdd(shared_pairs[31 - i].isSet ? shared_pairs[31 - i].value.x : 0.0);
  pairs[i] = vec2(sum, block.x[i]);
}
)";

}  // namespace einc::spirv
