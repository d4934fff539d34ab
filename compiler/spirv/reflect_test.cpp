// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/spirv/reflect.h"

#include <gtest/gtest.h>

#include "compiler/spirv/compile.h"
#include "compiler/spirv/test_shaders.h"

namespace einc::spirv {
namespace {

std::string factsOf(const std::string& glsl) {
  auto facts = reflect(moduleOf(glsl));
  return facts ? str(*facts) : facts.reason();
}

TEST(Reflect, Matmul) {
  EXPECT_EQ(factsOf(kMatmul), R"(buffer 0.0 ABlock readonly of f32, stride 4
buffer 0.1 BBlock readonly of f32, stride 4
buffer 0.2 CBlock writeonly of f32, stride 4
buffer 0.3 Unused of u32, stride 4
push constants: 32 bytes
  0: m u32, 4 bytes
  4: n u32, 4 bytes
  8: k u32, 4 bytes
  12: unusedOffset i32, 4 bytes
  16: unusedVector f32x4, 16 bytes
constant 0 u32, bits 1
constant 1 u32, bits 1
constant 2 kTile u32, bits 16
constant 3 kScale f32, bits 1056964608
workgroup 1 (constant 0) x 1 (constant 1) x 1
shared: 2048 bytes
capabilities: Shader
)");
}

TEST(Reflect, NarrowTypes) {
  EXPECT_EQ(factsOf(kHalf), R"(buffer 0.0 X readonly of f16x4, stride 8
buffer 0.1 S readonly of i8, stride 1
buffer 0.2 Y writeonly of f16, stride 2
constant 7 kShift i16, bits 18446744073709551613
workgroup 64 x 1 x 1
shared: 0 bytes
capabilities: Float16, Int16, Int8, Shader, StorageBuffer16BitAccess, StorageBuffer8BitAccess
)");
}

TEST(Reflect, WideTypes) {
  EXPECT_EQ(factsOf(kDouble), R"(buffer 0.0 X of f64, stride 8
constant 0 kFactor f64, bits 4609434218613702656
constant 1 kNegate bool, bits 1
constant 2 kLong i64, bits 18446744068709551616
constant 3 kUnsigned u64, bits 5000000000
workgroup 8 x 4 x 2
shared: 0 bytes
capabilities: Float64, Int64, Shader
)");
}

TEST(Reflect, StructsAndSubgroups) {
  EXPECT_EQ(factsOf(kSubgroup), R"(buffer 0.2 Pairs of f32x2, stride 8
buffer 1.4 Block
workgroup 32 x 1 x 1
shared: 512 bytes
capabilities: GroupNonUniform, GroupNonUniformArithmetic, Shader
)");
}

TEST(Reflect, Values) {
  auto facts = reflect(moduleOf(kMatmul));
  ASSERT_TRUE(facts) << facts.reason();
  EXPECT_EQ(facts->buffers[2], (StorageBuffer{0, 2, "CBlock", false, true, "f32", 4}));
  EXPECT_EQ(facts->pushConstants[3], (PushConstant{"unusedOffset", "i32", 12, 4}));
  EXPECT_EQ(facts->specConstants[2], (SpecConstant{2, "kTile", "u32", 16}));
  EXPECT_EQ(facts->workgroup[1], (WorkgroupDim{1, 1}));
  EXPECT_EQ(facts->sharedBytes, 2048U);
}

// The workgroup's size beside gl_WorkGroupSize, which takes both kinds of numbers.
TEST(Reflect, WorkgroupOfBothKinds) {
  std::string facts = factsOf(R"(#version 450
layout(local_size_x_id = 3, local_size_y = 4) in;
layout(local_size_x = 32) in;
shared uint s[gl_WorkGroupSize.x * gl_WorkGroupSize.y];
void main() { s[gl_LocalInvocationIndex] = 1; }
)");
  EXPECT_EQ(facts, R"(constant 3 u32, bits 32
workgroup 32 (constant 3) x 4 x 1
shared: 512 bytes
capabilities: Shader
)");
}

// SPIRV-Cross would end the process.
TEST(Reflect, RefusesLengthsFromPartsOfVectors) {
  EXPECT_EQ(factsOf(R"(#version 450
layout(local_size_x_id = 3, local_size_y = 4) in;
const uvec2 kFlipped = gl_WorkGroupSize.yx + uvec2(1, 60);
shared uint s[kFlipped.x + 1];
void main() { s[gl_LocalInvocationIndex] = 1; }
)"),
            "SPIRV-Cross cannot read array lengths that come from parts of vectors");
}

// Elsewhere such vectors do no harm.
TEST(Reflect, TakesPartsOfVectors) {
  EXPECT_EQ(factsOf(R"(#version 450
layout(local_size_x_id = 3, local_size_y = 4) in;
const uvec2 kFlipped = gl_WorkGroupSize.yx + uvec2(1, 60);
shared uint s[gl_WorkGroupSize.x + 1];
void main() { s[gl_LocalInvocationIndex] = kFlipped.x; }
)"),
            R"(constant 3 u32, bits 1
workgroup 1 (constant 3) x 4 x 1
shared: 8 bytes
capabilities: Shader
)");
}

TEST(Reflect, RefusesOtherResources) {
  EXPECT_EQ(factsOf("#version 450\nlayout(set = 0, binding = 0) uniform U { float x; };\n"
                    "void main() {}\n"),
            "'U' is neither a storage buffer nor push constants");
  EXPECT_EQ(factsOf("#version 450\nlayout(set = 0, binding = 0, r32f) uniform image2D I;\n"
                    "void main() {}\n"),
            "'I' is neither a storage buffer nor push constants");
  EXPECT_EQ(factsOf("#version 450\nlayout(set = 0, binding = 0) buffer B { float x[]; } b[2];\n"
                    "void main() {}\n"),
            "'B' is an array of storage buffers");
}

TEST(Reflect, RefusesOtherStages) {
  auto words = compile("#version 450\nvoid main() {}\n", "test.comp");
  ASSERT_TRUE(words) << words.reason();
  // OpEntryPoint GLCompute becomes Vertex, its OpExecutionMode LocalSize goes.
  Words vertex(words->begin(), words->begin() + kHeaderWords);
  forEachInstruction(*words, [&](uint32_t opcode, std::span<const uint32_t> operands) {
    constexpr uint32_t kEntryPoint = 15, kExecutionMode = 16;
    if (opcode == kExecutionMode) return;
    vertex.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
    vertex.insert(vertex.end(), operands.begin(), operands.end());
    if (opcode == kEntryPoint) vertex[vertex.size() - operands.size()] = 0;
  });
  auto module = validated(vertex);
  ASSERT_TRUE(module) << module.reason();
  auto facts = reflect(*module);
  EXPECT_EQ(facts.reason(), "not one compute shader");
}

}  // namespace
}  // namespace einc::spirv
