// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/spirv/compile.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace einc::spirv {
namespace {

constexpr int kVersion = 450;

// glslang counts calls for the process and builds its tables under a lock of its own. They are
// never given back: another thread may still compile while the process exits.
bool initialised() {
  static const bool done = glslang::InitializeProcess();
  return done;
}

bool takePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// The number at the start of `text`; 0 if there is none.
unsigned leadingNumber(std::string_view text) {
  unsigned number = 0;
  for (char c : text) {
    if (c < '0' || c > '9' || number > 100'000'000) break;
    number = number * 10 + (c - '0');
  }
  return number;
}

// Line `number` without its indentation, or "".
std::string_view lineOf(std::string_view text, unsigned number) {
  for (; number > 1; --number) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, std::min<size_t>(text.size(), 200));
}

// glslang's log has a line "ERROR: name:7: what" for each error (mostly it stops at the first),
// then sums up. #line would make its numbers others than those of the text, so then no line is
// shown.
std::string errorsIn(std::string_view log, const std::string& glsl, const std::string& name) {
  bool hasLines = glsl.find("#line") == std::string::npos;
  std::string result;
  while (!log.empty()) {
    std::string_view message = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(message.size() + 1, log.size()));
    if (!takePrefix(message, "ERROR: ") || message.ends_with("No code generated.")) continue;
    message = message.substr(0, message.find_last_not_of(' ') + 1);
    if (message.ends_with("compilation terminated")) continue;
    if (!result.empty()) result += '\n';
    std::string_view place = message;
    bool isPlaced = takePrefix(place, name + ":");
    result += isPlaced ? std::string(message) : name + ": " + std::string(message);
    std::string_view line = isPlaced && hasLines ? lineOf(glsl, leadingNumber(place)) : "";
    if (!line.empty()) result += "\n  " + std::string(line);
  }
  return result.empty() ? name + ": glslang gives no reason" : result;
}

// "310, es", "" if it is as wanted: glslang warns of the difference, and takes "core" for one.
std::string otherVersion(std::string_view log) {
  if (!takePrefix(log,
                  "Warning, (version, profile) forced to be (450, none), while in source code "
                  "it is ("))
    return "";
  log = log.substr(0, log.find(')'));
  return log == "450, core" ? "" : std::string(log);
}

}  // namespace

Result<Words> compile(const std::string& glsl, const std::string& name) {
  if (!initialised()) return Reason{"glslang does not start"};
  if (glsl.size() > std::numeric_limits<int>::max()) return Reason{name + ": too long for glslang"};

  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): flags
  constexpr auto kMessages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  glslang::TShader shader(EShLangCompute);
  const char* text = glsl.data();
  const int length = static_cast<int>(glsl.size());
  const char* file = name.c_str();
  shader.setStringsWithLengthsAndNames(&text, &length, &file, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
  // For other versions glslang has other built-in functions, some of which it cannot parse, and
  // says so on standard output: so this version whatever the text says, and then a look at what it
  // said.
  bool isParsed = shader.parse(GetDefaultResources(), kVersion, ENoProfile, /*forceDefault=*/true,
                               /*forwardCompatible=*/false, kMessages);
  if (!isParsed) return Reason{errorsIn(shader.getInfoLog(), glsl, name)};
  if (std::string version = otherVersion(shader.getInfoLog()); !version.empty())
    return Reason{name + ": the shader is in GLSL " + version + ", not 450"};

  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(kMessages)) return Reason{errorsIn(program.getInfoLog(), glsl, name)};

  Words words;
  spv::SpvBuildLogger logger;
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words, &logger);
  // What glslang cannot say in SPIR-V it leaves out, and tells the logger alone. (It warns of
  // nothing in a shader that is not of a driver's own extensions.)
  if (std::string messages = logger.getAllMessages(); !messages.empty())
    return Reason{name + ": " + messages};
  return words;
}

}  // namespace einc::spirv
