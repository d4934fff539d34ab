// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The whole pipeline, from structured kernels to what the emitters print.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "compiler/driver/commands.h"
#include "compiler/driver/load.h"

namespace einc::driver {

struct Compiled {
  ir::Kernel contract;  // structured, on tensors, with fixed sizes and attributes put in
  ir::Kernel code;      // the same at hardware level
};

// Puts --dim and --attr into the kernels.
std::variant<ir::Module, ExitCode> fixValues(const Loaded& loaded,
                                             const std::map<std::string, std::string>& attributes);

// Each pass, in order, with the reason for its place. A broken kernel is a bug in Einc.
std::variant<std::vector<Compiled>, ExitCode> compile(const ir::Module& module,
                                                      const Tracing& tracing);

}  // namespace einc::driver
