// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/spirv/tools.h"

#include <gtest/gtest.h>

#include "compiler/spirv/reflect.h"
#include "compiler/spirv/test_shaders.h"

namespace einc::spirv {
namespace {

std::string textOf(const Module& module) {
  auto text = disassemble(module);
  return text ? *text : text.reason();
}

size_t count(const std::string& text, const std::string& what) {
  size_t result = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++result;
  return result;
}

std::string reasonOf(const Words& words) {
  auto module = validated(words);
  return module ? "valid" : module.reason();
}

TEST(Validate, SaysWhy) {
  EXPECT_EQ(reasonOf({}), "not SPIR-V: 0 words, less than its header");
  EXPECT_EQ(reasonOf({kMagic, 0x00010300, 0, 1}), "not SPIR-V: 4 words, less than its header");
  EXPECT_EQ(reasonOf({1, 2, 3, 4, 5, 6}), "not SPIR-V: the first word is not its magic number");
  EXPECT_EQ(reasonOf({kMagic, 0x00010300, 0, 1, 0}),
            "not valid SPIR-V: Missing required OpMemoryModel instruction.");

  Words words = moduleOf(kMatmul);
  EXPECT_EQ(reasonOf(words), "valid");
  words.pop_back();
  EXPECT_EQ(reasonOf(words), "not valid SPIR-V: Missing OpFunctionEnd at end of module.");
}

TEST(Validate, RefusesTheOtherByteOrder) {
  Words words = moduleOf(kMatmul);
  for (uint32_t& word : words) word = __builtin_bswap32(word);
  EXPECT_EQ(reasonOf(words), "not SPIR-V: the first word is not its magic number");
}

// A version after 1.3 is not for Vulkan 1.1.
TEST(Validate, RefusesLaterVersions) {
  Words words = moduleOf(kMatmul);
  words[1] = 0x00010500;
  EXPECT_EQ(reasonOf(words),
            "not valid SPIR-V: Invalid SPIR-V binary version 1.5 for target environment SPIR-V 1.3 "
            "(under Vulkan 1.1 semantics).");
}

TEST(Validate, ShowsTheInstruction) {
  Words words = moduleOf(kMatmul);
  size_t at = kHeaderWords;
  while ((words[at] & 0xffff) != 128) at += words[at] >> 16;  // OpIAdd
  words[at] = (words[at] & 0xffff0000) | 129;                 // OpFAdd
  EXPECT_EQ(reasonOf(words),
            "not valid SPIR-V: Expected floating scalar or vector type as Result Type: FAdd\n"
            "  %27 = OpFAdd %uint %25 %26");
}

// spirv-val lets it pass, and SPIRV-Cross asserts.
TEST(Validate, RefusesSpecConstantOpOfVariables) {
  Words words = moduleOf(kMatmul);
  size_t at = kHeaderWords;
  uint32_t variable = 0;
  while ((words[at] & 0xffff) != 52) {                         // OpSpecConstantOp
    if ((words[at] & 0xffff) == 59) variable = words[at + 2];  // OpVariable
    at += words[at] >> 16;
  }
  ASSERT_NE(variable, 0U);
  words[at + 4] = variable;
  EXPECT_EQ(reasonOf(words), "not valid SPIR-V: an OpSpecConstantOp of what does not fit it");
}

// spirv-val lets them pass, and spirv-opt reads beyond its vectors.
TEST(Validate, RefusesSpecConstantOpOfComponentsThatAreNotThere) {
  Words words = moduleOf(R"(#version 450
layout(local_size_x_id = 3) in;
shared uint s[gl_WorkGroupSize.x];
layout(set = 0, binding = 0) buffer X { uvec2 x[]; };
void main() { s[0] = 1; const uvec2 v = gl_WorkGroupSize.yx; x[0] = v + s[0]; }
)");
  EXPECT_EQ(reasonOf(words), "valid");
  unsigned tried = 0;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) != 52) continue;  // OpSpecConstantOp
    size_t last = at + (words[at] >> 16) - 1;
    if (words[at + 3] == 81) {  // OpCompositeExtract
      Words wrong = words;
      wrong[last] = 3;
      EXPECT_NE(reasonOf(wrong), "valid");
      ++tried;
    } else if (words[at + 3] == 79) {  // OpVectorShuffle
      Words wrong = words;
      wrong[last] = 6;
      EXPECT_NE(reasonOf(wrong), "valid");
      ++tried;
    }
  }
  EXPECT_GE(tried, 1U);
}

TEST(Optimise, MakesLessOfIt) {
  const Module module = moduleOf(kMatmul);
  auto optimised = optimise(module);
  ASSERT_TRUE(optimised) << optimised.reason();
  EXPECT_EQ(reasonOf(*optimised), "valid");
  EXPECT_LT(count(textOf(*optimised), "OpLoad"), count(textOf(module), "OpLoad") / 2);
  EXPECT_EQ(count(textOf(*optimised), "OpControlBarrier"), 2U);
}

TEST(Optimise, KeepsTheInterface) {
  for (const char* shader : {kMatmul, kHalf, kDouble, kSubgroup}) {
    const Module module = moduleOf(shader);
    auto optimised = optimise(module);
    ASSERT_TRUE(optimised) << optimised.reason();
    EXPECT_NE(*optimised, module);
    auto before = reflect(module), after = reflect(*optimised);
    ASSERT_TRUE(before) << before.reason();
    ASSERT_TRUE(after) << after.reason();
    EXPECT_EQ(str(*before), str(*after));
    EXPECT_EQ(*before, *after);
  }
}

// What nothing reads stays, as a host binds it all the same; but push constants.
TEST(Optimise, KeepsWhatIsUnused) {
  auto optimised = optimise(moduleOf(R"(#version 450
layout(constant_id = 5) const uint kUnused = 3;
layout(set = 0, binding = 1) buffer X { float x[]; };
layout(push_constant) uniform P { uint p; };
void main() {}
)"));
  ASSERT_TRUE(optimised) << optimised.reason();
  auto facts = reflect(*optimised);
  ASSERT_TRUE(facts) << facts.reason();
  EXPECT_EQ(facts->buffers.size(), 1U);
  EXPECT_EQ(facts->specConstants.size(), 1U);
  EXPECT_EQ(facts->pushBytes, 0U);
}

TEST(Optimise, LeavesPreciseProductsAlone) {
  auto shader = [](const std::string& qualifier) {
    return "#version 450\nlayout(set = 0, binding = 0) buffer X { float x[]; };\nvoid main() {\n" +
           qualifier + " float t = x[0] * x[1] + x[2];\nx[3] = t;\n}\n";
  };
  auto loose = optimise(moduleOf(shader(""))), strict = optimise(moduleOf(shader("precise")));
  ASSERT_TRUE(loose && strict);
  EXPECT_EQ(count(textOf(*loose), "Fma"), 1U);
  EXPECT_EQ(count(textOf(*strict), "Fma"), 0U);
}

TEST(Specialise, PutsValuesInPlace) {
  const Module module = moduleOf(kMatmul);
  auto fixed = specialise(module, {{0, {8}}, {2, {8}}});
  ASSERT_TRUE(fixed) << fixed.reason();
  EXPECT_EQ(count(textOf(*fixed), "OpSpecConstant"), 0U) << textOf(*fixed);
  auto facts = reflect(*fixed);
  ASSERT_TRUE(facts) << facts.reason();
  EXPECT_TRUE(facts->specConstants.empty());
  EXPECT_EQ(facts->workgroup[0], (WorkgroupDim{8, std::nullopt}));
  EXPECT_EQ(facts->workgroup[1], (WorkgroupDim{1, std::nullopt}));
  EXPECT_EQ(facts->sharedBytes, 2U * 8 * 8 * 4);
  EXPECT_NE(*fixed, *specialise(module));
}

TEST(Specialise, TakesEveryWidth) {
  const Module module = moduleOf(kDouble);
  EXPECT_TRUE(specialise(module, {{0, {0, 0x40000000}}, {1, {0}}, {2, {7, 0}}}));
  auto narrow = specialise(module, {{0, {0}}});
  EXPECT_EQ(narrow.reason(), "specialisation constant 0 has 2 words, the value given 1");
  auto wide = specialise(module, {{1, {0, 0}}});
  EXPECT_EQ(wide.reason(), "specialisation constant 1 has 1 words, the value given 2");
  auto unknown = specialise(module, {{9, {1}}});
  EXPECT_EQ(unknown.reason(), "no specialisation constant 9 in the module");
}

TEST(Disassemble, ShowsNames) {
  std::string text = textOf(moduleOf(kMatmul));
  EXPECT_EQ(count(text, "OpEntryPoint GLCompute %main \"main\""), 1U);
  EXPECT_EQ(count(text, "OpDecorate %kTile SpecId 2"), 1U);
}

TEST(Tools, NameCapabilities) {
  EXPECT_EQ(nameOfCapability(1), "Shader");
  EXPECT_EQ(nameOfCapability(10), "Float64");
  EXPECT_EQ(nameOfCapability(63), "GroupNonUniformArithmetic");
  EXPECT_EQ(nameOfCapability(123456), "capability 123456");
}

}  // namespace
}  // namespace einc::spirv
