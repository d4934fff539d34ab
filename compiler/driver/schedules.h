// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done with each def on each target, decided once: whatever is said of it, or made of it,
// reads these values. Settings are those of --schedule, then those of --tuning.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/driver/code_options.h"
#include "compiler/pipeline/sequence.h"
#include "compiler/strategy/decision.h"
#include "compiler/support/diagnostics.h"

namespace einc::pipeline {
struct Scheduled;
}
namespace einc::strategy {
struct ScheduleOptions;
}

namespace einc::driver {

using Schedules = std::vector<pipeline::Scheduled>;  // for each target

// The exit code after the settings that these defs cannot have were printed, or after a pass failed
// (tracing.h). Notes of what the tuning file does not have.
using Watch = std::function<pipeline::AfterPass(const target::Target&)>;  // of what passes make
std::variant<Schedules, ExitCode> schedule(const ir::Module& module, const CodeOptions& options,
                                           const Tracing& tracing, const Watch& watch = nullptr);

// For a target; all that is set for these defs.
strategy::ScheduleOptions scheduleOptions(const CodeOptions& options, const target::Target* target,
                                          const std::vector<ir::Kernel>& kernels);

// As text that --schedule reads.
std::string printedSchedule(const Schedules& schedules);

// Each op of a def with its strategy and the reasons for it; and with its statement, where the
// def's spec is given.
std::string scheduleText(const strategy::Decision& decision, const std::string& indent,
                         const SourceFile* spec = nullptr);

}  // namespace einc::driver
