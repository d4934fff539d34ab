// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/known_values.h"

#include "compiler/bench/contestants.h"
#include "compiler/driver/code_options.h"
#include "compiler/driver/commands.h"

namespace einc::driver {
namespace {

using Names = std::vector<std::string>;

Names benchLibraries() {
  Names names;
  for (const bench::Library& library : bench::allLibraries(""))
    if (names.empty() || names.back() != library.group) names.push_back(library.group);
  names.emplace_back("none");
  return names;
}

Names withNone(Names names) {
  names.emplace_back("none");
  return names;
}

}  // namespace

const Names& blasNames() {
  static const Names names = {"none", "cblas", "blis", "auto"};
  return names;
}

const Names& strictnessNames() {
  static const Names names = {"strict"};
  return names;
}

const Names& strideNames() {
  static const Names names = {"contiguous"};
  return names;
}

const Names& evalEngineNames() {
  static const Names names = {"reference", "tiled", "vector", "hw", "native", "vulkan"};
  return names;
}

const Names& benchEngineNames() {
  static const Names names = {"native", "vulkan"};
  return names;
}

const Names& exportNames() {
  static const Names names = {"cblas"};
  return names;
}

const Names& tunedLibraries() {
  static const Names names = {"cblas", "blis"};
  return names;
}

std::map<std::string, Names> knownValues(const std::string& command) {
  const bool isBench = command == "bench";
  return {{"lib", blasNames()},
          {"fp", strictnessNames()},
          {"strides", strideNames()},
          {"export", exportNames()},
          {"engine", isBench ? benchEngineNames() : evalEngineNames()},
          {"against", isBench ? benchLibraries() : withNone(tunedLibraries())},
          {"stage", stageNames()},
          {"target", targetNames()}};
}

}  // namespace einc::driver
