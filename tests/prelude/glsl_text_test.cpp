// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The prelude of GLSL as glslang compiles it; nothing runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "compiler/emit/glsl/values.h"
#include "compiler/spirv/compile.h"
#include "compiler/spirv/reflect.h"
#include "compiler/spirv/tools.h"

namespace einc::emit {
namespace {

const char* const kMain = "layout(local_size_x = 1) in;\nvoid main() {}\n";

spirv::Module compiled(const std::string& glsl) {
  auto words = spirv::compile(glsl, "test.comp");
  EXPECT_TRUE(words) << words.reason();
  auto module = spirv::validated(words ? std::move(*words) : spirv::Words());
  EXPECT_TRUE(module) << module.reason();
  return *module;
}

std::string fileText(const std::string& name) {
  std::ifstream file("compiler/emit/prelude/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

std::string wholePrelude() {
  GlslPrelude prelude;
  for (const std::string& chunk : GlslPrelude::allChunks()) prelude.need(chunk);
  return "#version 450\n" + prelude.extensions() + prelude.text();
}

// The first lines of the functions in a text, up to the closing parenthesis.
std::vector<std::string> heads(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t name = line.find(" einc_"), end = line.find(") {");
    if (name != std::string::npos && end != std::string::npos && std::isalpha(line[0]) != 0)
      list.push_back(line.substr(0, end + 1));
  }
  return list;
}

// A shader that calls them all: glslang leaves out what is not called.
std::string withCalls(const std::string& text) {
  std::string glsl = text +
                     "layout(local_size_x = 1) in;\n"
                     "layout(set = 0, binding = 0) buffer X { float x; };\nvoid main() {\n";
  int calls = 0;
  for (const std::string& head : heads(text)) {
    size_t open = head.find('('), name = head.rfind(' ', open);
    std::string type = head.substr(0, name), arguments;
    type = type.substr(type.rfind(' ') + 1);
    std::istringstream parameters(head.substr(open + 1, head.size() - open - 2));
    for (std::string each; parameters >> each; parameters >> each)
      arguments += (arguments.empty() ? "" : ", ") + each + "(x)";
    glsl += "  " + type + " y" + std::to_string(++calls) + " = " +
            head.substr(name + 1, open - name - 1) + "(" + arguments + ");\n";
  }
  EXPECT_GT(calls, 100);
  return glsl + "}\n";
}

TEST(GlslTextTest, AllChunksCompile) { compiled(withCalls(wholePrelude())); }

TEST(GlslTextTest, FilesCompileAsTheyStand) {
  compiled(fileText("scalars.glsl") + kMain);
  // These behind declarations of what is in other files, or made.
  for (const char* file : {"functions.glsl", "trigonometry.glsl"}) {
    std::string text = fileText(file), declared;
    for (const std::string& head : heads(wholePrelude()))
      if (text.find(head + " {") == std::string::npos) declared += head + ";\n";
    compiled("#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n" +
             declared + text + kMain);
  }
}

TEST(GlslTextTest, EachChunkNamesWhatItNeeds) {
  for (const std::string& chunk : GlslPrelude::allChunks()) {
    GlslPrelude prelude;
    prelude.need(chunk);
    auto words = spirv::compile("#version 450\n" + prelude.extensions() + prelude.text() + kMain,
                                chunk + ".comp");
    EXPECT_TRUE(words) << words.reason();
  }
}

// Otherwise compilers may fuse or reorder them.
TEST(GlslTextTest, FloatingPointIsPrecise) {
  const spirv::Module module = compiled(withCalls(wholePrelude()));
  constexpr uint32_t kName = 5, kFunction = 54, kDecorate = 71, kNoContraction = 42;
  const std::set<uint32_t> arithmetic = {129, 131, 133, 136, 142};  // FAdd, FSub, FMul, FDiv, ...
  std::map<uint32_t, std::string> names;
  std::set<uint32_t> precise;
  std::string function;
  std::map<std::string, int> loose;
  spirv::forEachInstruction(module, [&](uint32_t opcode, std::span<const uint32_t> operands) {
    if (opcode == kName) names[operands[0]] = reinterpret_cast<const char*>(&operands[1]);
    if (opcode == kDecorate && operands[1] == kNoContraction) precise.insert(operands[0]);
    if (opcode == kFunction) function = names[operands[1]].substr(0, names[operands[1]].find('('));
    if (arithmetic.contains(opcode) && !precise.contains(operands[1])) ++loose[function];
  });
  EXPECT_GT(precise.size(), 500U);
  for (const auto& [name, count] : loose) ADD_FAILURE() << name << ": " << count;
}

// A copy of elements of all types but 64-bit ones needs storage of 8 and 16 bits, and no arithmetic
// on them.
TEST(GlslTextTest, NarrowTypesAreOnlyStored) {
  GlslNames names;
  GlslPrelude prelude;
  GlslValues values(names, prelude);
  std::string blocks, body;
  int binding = 0;
  for (const ir::TypeInfo& type : ir::computedTypes())
    for (int64_t lanes : {1, 2, 4}) {
      if (type.bits == 64) continue;
      std::string name = "x" + std::to_string(binding);
      blocks += "layout(set = 0, binding = " + std::to_string(binding) + ") buffer B" +
                std::to_string(binding) + " { " + storageType({type.type, lanes}) + " " + name +
                "[]; };\n";
      ++binding;
      std::string value = values.call(
          type.type, lanes, type.cls == ir::TypeClass::Bool ? ir::Function::Not : ir::Function::Neg,
          {{type.type, lanes}}, {values.fromStorage(type.type, lanes, name + "[0]")});
      body += "  " + name + "[1] = " + values.toStorage(type.type, lanes, value) + ";\n";
    }
  spirv::Module module =
      compiled("#version 450\n" + prelude.extensions() + "layout(local_size_x = 1) in;\n" + blocks +
               prelude.text() + "void main() {\n" + body + "}\n");
  for (bool isOptimised : {false, true}) {
    if (isOptimised) module = *spirv::optimise(module);
    auto interface = spirv::reflect(module);
    ASSERT_TRUE(interface) << interface.reason();
    EXPECT_EQ(interface->capabilities,
              (std::vector<std::string>{"Shader", "StorageBuffer16BitAccess",
                                        "StorageBuffer8BitAccess"}));
  }
}

}  // namespace
}  // namespace einc::emit
