// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/spirv/cross.h"

#include <gtest/gtest.h>

#include "compiler/spirv/reflect.h"
#include "compiler/spirv/test_shaders.h"
#include "compiler/spirv/tools.h"

namespace einc::spirv {
namespace {

Module optimised(const char* shader) {
  auto result = optimise(moduleOf(shader));
  EXPECT_TRUE(result) << result.reason();
  return *result;
}

void expectHas(const Result<std::string>& text, std::initializer_list<const char*> parts) {
  ASSERT_TRUE(text) << text.reason();
  for (const char* part : parts) EXPECT_NE(text->find(part), std::string::npos) << part << *text;
}

TEST(Cross, MetalBindsAsVulkan) {
  expectHas(toMsl(optimised(kMatmul)),
            {"kernel void main0(", "const device ABlock& ", "[[buffer(0)]]", "[[buffer(1)]]",
             "device CBlock& ", "[[buffer(2)]]", "constant Sizes& sizes [[buffer(4)]]",
             "threadgroup_barrier(mem_flags::mem_threadgroup)", "threadgroup float tileA["});
}

TEST(Cross, HlslBindsAsVulkan) {
  expectHas(toHlsl(optimised(kMatmul)),
            {"void main(", "register(t0, space0)", "register(t1, space0)", "register(u2, space0)",
             "register(b0, space0)", "GroupMemoryBarrierWithGroupSync()",
             "groupshared float tileA[", "[numthreads(SPIRV_CROSS_CONSTANT_ID_0, "});
}

TEST(Cross, SpecialisedHasNumbers) {
  auto module = specialise(optimised(kMatmul), {{0, {8}}, {1, {8}}, {2, {8}}});
  ASSERT_TRUE(module) << module.reason();
  expectHas(toMsl(*module), {"threadgroup float tileA[64]"});
  expectHas(toHlsl(*module), {"groupshared float tileA[64]", "[numthreads(8, 8, 1)]"});
}

TEST(Cross, HalfPrecision) {
  expectHas(toMsl(optimised(kHalf)), {"half4", "kernel void main0("});
  expectHas(toHlsl(optimised(kHalf)), {"half", "[numthreads(64, 1, 1)]"});
}

TEST(Cross, Doubles) {
  EXPECT_EQ(toMsl(optimised(kDouble)).reason(),
            "SPIRV-Cross: double types are not supported in buffers in MSL.");
  expectHas(toHlsl(optimised(kDouble)), {"double", "[numthreads(8, 4, 2)]",
                                         "SPIRV_Cross_NumWorkgroups : register(b1, space0)"});
}

TEST(Cross, Subgroups) {
  expectHas(toMsl(optimised(kSubgroup)), {"simd_sum(", "[[buffer(4)]]", "[[buffer(2)]]"});
  expectHas(toHlsl(optimised(kSubgroup)), {"WaveActiveSum(", "register(u4, space1)"});
}

TEST(Cross, MetalKeepsGaps) {
  expectHas(toMsl(optimised(R"(#version 450
layout(set = 0, binding = 7) buffer X { float x[]; };
layout(set = 0, binding = 3) buffer Y { float y[]; };
layout(push_constant) uniform P { uint p; };
void main() { x[p] = y[p]; }
)")),
            {"device X& _", "[[buffer(7)]]", "[[buffer(3)]]", "[[buffer(8)]]"});
}

TEST(Cross, MetalHasOneSet) {
  EXPECT_EQ(toMsl(optimised(R"(#version 450
layout(set = 0, binding = 4) buffer X { float x[]; };
layout(set = 1, binding = 4) buffer Y { float y[]; };
void main() { x[0] = y[0]; }
)"))
                .reason(),
            "two buffers have binding 4, which are one in Metal");
}

// Text that compiles again, to the same interface.
TEST(Cross, GlslGoesRound) {
  for (const char* shader : {kMatmul, kHalf, kDouble, kSubgroup}) {
    const Module module = optimised(shader);
    auto text = toGlsl(module);
    ASSERT_TRUE(text) << text.reason();
    auto before = reflect(module), after = reflect(moduleOf(*text));
    ASSERT_TRUE(before && after) << before.reason() << after.reason();
    EXPECT_EQ(str(*before), str(*after));
  }
}

}  // namespace
}  // namespace einc::spirv
