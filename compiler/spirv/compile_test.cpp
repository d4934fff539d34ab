// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/spirv/compile.h"

#include <gtest/gtest.h>

#include "compiler/spirv/test_shaders.h"
#include "compiler/spirv/tools.h"

namespace einc::spirv {
namespace {

std::string reasonOf(const std::string& glsl) {
  auto words = compile(glsl, "test.comp");
  return words ? "compiles" : words.reason();
}

std::string withMain(const std::string& body) {
  return "#version 450\nlayout(set = 0, binding = 0) buffer X { float x[]; };\nvoid main() {\n  " +
         body + "\n}\n";
}

// glslang has tables for each version, and writes to standard output where it first fails at them:
// so this test is the first.
TEST(Compile, PrintsNothing) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  for (int version : {0, 100, 110, 130, 150, 300, 310, 420, 450, 460, 999})
    for (const char* profile : {"", " es", " core", " compatibility", " x"})
      reasonOf("#version " + std::to_string(version) + profile + "\nvoid main() {}\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Compile, GivesValidSpirV13) {
  for (const char* shader : {kMatmul, kHalf, kDouble, kSubgroup}) {
    auto words = compile(shader, "good.comp");
    ASSERT_TRUE(words) << words.reason();
    ASSERT_GT(words->size(), kHeaderWords);
    EXPECT_EQ((*words)[1], 0x00010300U);
    auto module = validated(*words);
    EXPECT_TRUE(module) << module.reason();
  }
}

TEST(Compile, TheShaderDecidesTheWords) {
  auto one = compile(withMain("x[0] = 1.0;"), "n"), two = compile(withMain("x[0] = 2.0;"), "n");
  ASSERT_TRUE(one && two);
  EXPECT_NE(*one, *two);
}

TEST(Compile, ErrorsShowTheLine) {
  EXPECT_EQ(reasonOf(withMain("x[0] = 2.0 * y;")),
            "test.comp:4: 'y' : undeclared identifier\n  x[0] = 2.0 * y;");
  EXPECT_EQ(reasonOf(withMain("x[0] = ;")),
            "test.comp:4: '' :  syntax error, unexpected SEMICOLON\n  x[0] = ;");
  EXPECT_EQ(reasonOf(withMain("x[0] = vec2(1);")),
            "test.comp:4: 'assign' :  cannot convert from ' const 2-component vector of float' to "
            "'layout( column_major std430) temp highp float'\n  x[0] = vec2(1);");
}

// Its numbers are not those of the text.
TEST(Compile, NoLineIsShownAfterALineDirective) {
  EXPECT_EQ(reasonOf(withMain("\n#line 2\nx[0] = y;")), "test.comp:2: 'y' : undeclared identifier");
}

TEST(Compile, ErrorsWithoutALineNameTheFile) {
  EXPECT_EQ(reasonOf("#version 450\n"),
            "test.comp: Linking compute stage: Missing entry point: Each stage requires one entry "
            "point");
}

TEST(Compile, RefusesWhatIsNotForVulkan) {
  EXPECT_EQ(reasonOf("#version 450\nuniform float x;\nvoid main() {}\n"),
            "test.comp:2: 'non-opaque uniforms outside a block' : not allowed when using GLSL for "
            "Vulkan\n  uniform float x;");
  EXPECT_EQ(reasonOf("#version 450\n#include \"x.h\"\nvoid main() {}\n"),
            "test.comp:2: '#include' : required extension not requested: "
            "GL_GOOGLE_include_directive\n  #include \"x.h\"\ntest.comp:2: '#include' : must be "
            "followed by a header name\n  #include \"x.h\"");
  EXPECT_EQ(reasonOf("#version 450\nvoid main() { gl_Position = vec4(0); }\n"),
            "test.comp:2: 'gl_Position' : undeclared identifier\n  void main() { gl_Position = "
            "vec4(0); }");
}

TEST(Compile, RefusesOtherVersions) {
  for (const char* good : {"", "#version 450\n", "#version 450 core\n", "// ?\n#version 450\n"})
    EXPECT_EQ(reasonOf(good + std::string("void main() {}")), "compiles") << good;
  EXPECT_EQ(reasonOf("#version 130\nvoid main() {}\n"),
            "test.comp: the shader is in GLSL 130, none, not 450");
  EXPECT_EQ(reasonOf("#version 310 es\nvoid main() {}\n"),
            "test.comp: the shader is in GLSL 310, es, not 450");
  EXPECT_EQ(reasonOf("#version 460\nvoid main() {}\n"),
            "test.comp: the shader is in GLSL 460, none, not 450");
}

TEST(Compile, TakesAnyText) {
  EXPECT_EQ(reasonOf(""),
            "test.comp: Linking compute stage: Missing entry point: Each stage requires one entry "
            "point");
  std::string zero("void main() {\0}", 15);
  EXPECT_EQ(reasonOf(zero), "test.comp:1: '' : unexpected token\n  " + zero);
  EXPECT_NE(reasonOf("\xff\xfe#version"), "compiles");
  EXPECT_NE(reasonOf(std::string(100'000, '(')), "compiles");
  std::string text = kMatmul;
  for (size_t length = 0; length < text.size(); length += 13)
    EXPECT_NE(reasonOf(text.substr(0, length)), "compiles") << length;
}

// Whatever the name has in it, it is not taken for a part of the message.
TEST(Compile, NamesAreKept) {
  auto words = compile(withMain("y;"), "a b:7: c%s");
  EXPECT_EQ(words.reason(), "a b:7: c%s:4: 'y' : undeclared identifier\n  y;");
}

}  // namespace
}  // namespace einc::spirv
