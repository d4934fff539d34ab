// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The C compiler and archiver that einc runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/support/result.h"
#include "compiler/target/target.h"

namespace einc::driver {

// The compiler asked for; or clang-19, another clang from version 19 on, or a gcc from 11 on.
Result<std::string> findCompiler(const std::string& asked);
Result<std::string> findArchiver();

// What a program says to --version; empty if it does not run.
std::string versionText(const std::string& program);

// The flags that every generated file is compiled with. Floating point is what C says, no more:
// no contraction of a * b + c, no reassociation. Several threads come from OpenMP.
std::vector<std::string> compileFlags(int64_t threads);
// What clang calls a machine of another architecture than this one; empty for this one's.
std::string crossTriple(const target::Target& target);

// Runs a program to its end; its standard error is the tool's. "" or the reason.
std::string runProgram(const std::string& program, const std::vector<std::string>& args);

// A folder of our own, in one of the process's among the temporary files; removed with all it
// holds, when a signal ends the process, too.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // Empty while there are none.
  static std::string ofProcess();

 private:
  class Root;
  static std::weak_ptr<Root>& present();
  TemporaryFolder(std::shared_ptr<Root> root, std::string path)
      : root_(std::move(root)), path_(std::move(path)) {}

  std::shared_ptr<Root> root_;
  std::string path_;
};

}  // namespace einc::driver
