// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Defs as code at hardware level, for each target.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "compiler/driver/code_options.h"
#include "compiler/driver/schedules.h"
#include "compiler/pipeline/sequence.h"

namespace einc::driver {

struct Compiled {
  ir::Kernel contract;            // structured, on tensors, with fixed sizes and attributes put in
  std::vector<ir::Kernel> codes;  // the same at the level asked for, for each target
  std::vector<std::string> schedules;  // what was done with each op and why, for each target
};

// Schedules, and what becomes of the module by them, up to the level asked for. A module that
// breaks the IR's rules is a bug in Einc.
std::variant<std::vector<Compiled>, ExitCode> compile(const ir::Module& module,
                                                      const CodeOptions& options,
                                                      const Tracing& tracing,
                                                      ir::Level until = ir::Level::Hardware);

// The same of schedules that are there.
std::variant<std::vector<Compiled>, ExitCode> compileScheduled(
    const ir::Module& module, const Schedules& schedules,
    const pipeline::AfterPass& after = nullptr, ir::Level until = ir::Level::Hardware,
    pipeline::VerifyEach* each = nullptr);

}  // namespace einc::driver
