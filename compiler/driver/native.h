// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Runs a kernel as its users would: emits C, compiles it for this machine, loads it, calls it
// through the C ABI.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "compiler/driver/exit.h"
#include "compiler/driver/pipeline.h"
#include "compiler/interp/interpreter.h"

namespace einc::driver {

// A kernel that is compiled and loaded, for these arguments: their arrays, and `compiled`, must
// live as long.
class NativeKernel {
 public:
  static std::variant<NativeKernel, ExitCode> load(const Compiled& compiled,
                                                   const CodeOptions& wanted,
                                                   const interp::Arguments& arguments,
                                                   const std::string& compiler,
                                                   const std::string& plant);
  NativeKernel(NativeKernel&&) noexcept;
  NativeKernel& operator=(NativeKernel&&) = delete;
  ~NativeKernel();

  interp::Status run() const { return static_cast<interp::Status>(entry_(addresses_)); }

 private:
  struct Loaded;
  explicit NativeKernel(std::unique_ptr<Loaded> loaded);

  std::unique_ptr<Loaded> loaded_;
  int (*entry_)(void**);
  void** addresses_;
};

// The kernel's status, or the exit code after the reason was printed (no compiler, say).
std::variant<interp::Status, ExitCode> runNative(const Compiled& compiled,
                                                 const CodeOptions& wanted,
                                                 const interp::Arguments& arguments,
                                                 const std::string& compiler,
                                                 const std::string& plant);

}  // namespace einc::driver
