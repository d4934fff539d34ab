// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/spirv/versions.h"

#include <glslang/Public/ShaderLang.h>
#include <spirv-tools/libspirv.h>
#include <spirv_cross/spirv_cross_c.h>

namespace einc::spirv {

std::vector<std::pair<std::string, std::string>> libraryVersions() {
  const glslang::Version version = glslang::GetVersion();
  unsigned major = 0, minor = 0, patch = 0;
  spvc_get_version(&major, &minor, &patch);  // of its C interface: it has no other number
  auto dotted = [](auto a, auto b, auto c) {
    return std::to_string(a) + "." + std::to_string(b) + "." + std::to_string(c);
  };
  std::string tools = spvSoftwareVersionString();  // "v2025.1"
  if (tools.starts_with("v")) tools.erase(0, 1);
  return {{"glslang", dotted(version.major, version.minor, version.patch)},
          {"SPIRV-Tools", tools},
          {"SPIRV-Cross", dotted(major, minor, patch)}};
}

}  // namespace einc::spirv
