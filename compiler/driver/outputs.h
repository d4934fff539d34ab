// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What `emit` and `build` have in common: the library's name and its three texts.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "compiler/driver/code_options.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/emit/c/c.h"
#include "compiler/support/result.h"

namespace einc::driver {

// --name, which must do as a file name, or the stem of the first spec.
Result<std::string> libraryName(const Request& request, const NamingOptions& naming);

struct LibraryTexts {
  std::vector<emit::CFile> code;
  std::string header, manifest;
  std::vector<std::string> exported;  // the names that a shared library shows
};
// A file for each def, as libraries are compiled, or all code in one file.
enum class Files { Each, One };
std::vector<emit::KernelCode> kernelCodes(const std::vector<Compiled>& kernels,
                                          const CodeOptions& wanted);
Result<LibraryTexts> libraryTexts(const std::vector<Compiled>& kernels, const CodeOptions& wanted,
                                  const std::string& library, const NamingOptions& naming,
                                  Files files);
// Runs the passes, for CPUs or a device, and emits.
std::variant<LibraryTexts, ExitCode> makeTexts(const ir::Module& module, const CodeOptions& wanted,
                                               const std::string& library,
                                               const NamingOptions& naming, const Tracing& tracing,
                                               Files files);

// kBadCommandLine after a message if there is such a text, but no such miscompilation to plant.
int refusePlant(const std::string& plant);

// kBadCommandLine after a message if an output is one of the inputs, kSuccess otherwise.
int refuseOverwriting(const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs);

}  // namespace einc::driver
