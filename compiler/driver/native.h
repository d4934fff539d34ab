// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Runs a kernel as its users would: emits C, compiles it for this machine, loads it, calls it
// through the C ABI.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "compiler/driver/code_options.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/exit.h"
#include "compiler/driver/toolchain.h"
#include "compiler/interp/interpreter.h"

namespace einc::driver {

// A kernel that is loaded, for these arguments: their arrays must live as long.
class NativeKernel {
 public:
  NativeKernel(NativeKernel&&) noexcept;
  NativeKernel& operator=(NativeKernel&&) = delete;
  ~NativeKernel();

  interp::Status run() const { return static_cast<interp::Status>(entry_(addresses_)); }
  // What it has written of elements that have a byte each in `arguments` and half of one here, in memory
  // of its own.
  void fetch() const;

 private:
  friend class NativeLibrary;
  struct Loaded;
  explicit NativeKernel(std::unique_ptr<Loaded> loaded);

  std::unique_ptr<Loaded> loaded_;
  int (*entry_)(void**);
  void** addresses_;
};

// Whose threads a kernel for several runs on: OpenMP's, as in users' libraries, which takes its
// runtime and is what is timed; or POSIX threads that each loop starts anew, which every compiler
// has.
enum class Threads { OpenMp, Posix };

// A kernel that is compiled, as a shared object: to be loaded here, or in other processes.
class NativeLibrary {
 public:
  static Result<NativeLibrary> compile(const Compiled& compiled, const CodeOptions& wanted,
                                       const std::string& compiler, const std::string& plant,
                                       Threads threads = Threads::OpenMp);
  Result<NativeKernel> load(const interp::Arguments& arguments) const;

 private:
  friend class NativeSources;
  NativeLibrary(TemporaryFolder folder, ir::Kernel contract)
      : folder_(std::move(folder)), contract_(std::move(contract)) {}

  TemporaryFolder folder_;
  ir::Kernel contract_;
};

// The C code of one, still to be compiled: several can be at the same time.
class NativeSources {
 public:
  static Result<NativeSources> write(const Compiled& compiled, const CodeOptions& wanted,
                                     const std::string& compiler, const std::string& plant,
                                     Threads threads = Threads::OpenMp);
  // "" or the reason. From any thread.
  std::string compile() const;
  // After compile().
  NativeLibrary compiled() &&;

 private:
  NativeSources(TemporaryFolder folder, ir::Kernel contract, std::string program,
                std::vector<std::string> args)
      : folder_(std::move(folder)),
        contract_(std::move(contract)),
        program_(std::move(program)),
        args_(std::move(args)) {}

  TemporaryFolder folder_;
  ir::Kernel contract_;
  std::string program_;
  std::vector<std::string> args_;
};

// The kernel's status, on POSIX threads if on several, or the exit code after the reason was
// printed (no compiler, say).
std::variant<interp::Status, ExitCode> runNative(const Compiled& compiled,
                                                 const CodeOptions& wanted,
                                                 const interp::Arguments& arguments,
                                                 const std::string& compiler,
                                                 const std::string& plant);

}  // namespace einc::driver
