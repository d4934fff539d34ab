// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What einc --version prints.
#include "compiler/affine/versions.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/toolchain.h"
#include "compiler/spirv/versions.h"
#include "compiler/support/text_writer.h"
#include "compiler/target/target.h"
#include "llvm/Config/llvm-config.h"

namespace einc::driver {
namespace {

std::string targetsText(bool onDevice) {
  std::vector<std::string> names;
  for (const target::Target& target : target::all())
    if ((target.device != nullptr) == onDevice) names.emplace_back(target.name);
  return joined(names);
}

std::string compilerText() {
  auto program = findCompiler("");
  if (!program) return "none: " + program.reason();
  std::string version = versionText(*program);
  return *program + " (" + version.substr(0, version.find('\n')) + ")";
}

}  // namespace

std::string aboutText() {
  std::vector<std::pair<std::string, std::string>> libraries = {{"LLVM", LLVM_VERSION_STRING}};
  for (auto& library : affine::libraryVersions()) libraries.push_back(std::move(library));
  for (auto& library : spirv::libraryVersions()) libraries.push_back(std::move(library));
  return std::string("einc ") + kVersion + "\nCPU targets: native, " + targetsText(false) +
         "\ndevice targets: " + targetsText(true) + ", " + std::string(target::kNativeDevice) +
         "\nlibraries: " +
         joined(libraries, ", ", [](const auto& one) { return one.first + " " + one.second; }) +
         "\nC compiler: " + compilerText() + "\n";
}

}  // namespace einc::driver
