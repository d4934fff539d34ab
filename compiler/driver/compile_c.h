// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// C files to a library, static or shared, several compilers at the same time.
#pragma once

#include <string>
#include <vector>

#include "compiler/driver/code_options.h"
#include "compiler/driver/compile.h"
#include "compiler/support/result.h"

namespace einc::driver {

// A C file by its path in the folder that it is compiled in.
struct CSource {
  std::string path, text;
  bool isHeader = false;
};

// What becomes of the objects.
struct Linking {
  bool isShared = false;              // a shared library; else an archive
  std::vector<std::string> exported;  // of a shared one: the names that programs see
  std::vector<std::string> flags;     // of a shared one: for the linker
};

// The linker's script by which a shared library shows these names and no others.
std::string versionScript(const std::vector<std::string>& exported);

// The library's bytes, or the reason why there is none; what the compiler says of the files is on
// standard error. Compiled in a folder of its own under fixed names, and put together in the order
// of `sources`, so that neither place nor time nor the number of jobs shows in the bytes. Progress is
// on standard error: each file on a terminal, a line every ten seconds elsewhere.
//   compiler   a program, as findCompiler takes it; empty: clang
//   jobs       compilers at the same time; 0: as many as there are cores
Result<std::string> compileLibrary(const std::vector<CSource>& sources, const std::string& library,
                                   const Linking& linking, const std::string& compiler,
                                   unsigned jobs, const CodeOptions& wanted);

}  // namespace einc::driver
