// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The whole pipeline, from structured kernels to what the emitters print.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/driver/commands.h"
#include "compiler/driver/load.h"
#include "compiler/driver/tuning.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/passes.h"
#include "compiler/strategy/schedule_text.h"
#include "compiler/support/result.h"
#include "compiler/target/target.h"

namespace einc::driver {

struct Compiled {
  ir::Kernel contract;            // structured, on tensors, with fixed sizes and attributes put in
  std::vector<ir::Kernel> codes;  // the same at hardware level, for each target
  std::vector<std::string> schedules;  // what was done with each op and why, for each target
};

using Targets = std::vector<const target::Target*>;

// What a request says about the code that is wanted.
struct CodeOptions {
  Targets targets;  // the most modest first
  int64_t threads = 1;
  bool keepsOrder = false;  // of floating-point sums
  bool contiguous = false;  // unit stride along the last dimension of each argument is promised
  // What was read from --schedule; or null.
  struct Schedule {
    SourceFile source;
    std::vector<strategy::ScheduleEntry> entries;
  };
  std::shared_ptr<const Schedule> schedule = nullptr;
  std::string library = {};  // "cblas", "blis": what is asked first; "auto"; empty: none
  std::shared_ptr<const Tuning> tuning = nullptr;  // what was read from --tuning; or null
  std::vector<strategy::Setting> settings = {};    // on all targets, before those of the files
  std::string plant = {};                          // one of passPlants(), or one of the emitters'
};

// The exit code after a message: an unknown name, two architectures at once, no number of threads,
// a schedule that cannot be read.
std::variant<CodeOptions, ExitCode> chooseCode(const Request& request, const Targets& byDefault);

// kSuccess, or the exit code after the settings of the schedule, or of the tuning file, that these
// kernels cannot have were printed. Notes of what the tuning file does not have.
int checkSchedule(const ir::Module& module, const CodeOptions& options);

// What is done with each op, as text that --schedule reads.
std::string printedSchedule(const ir::Module& module, const CodeOptions& options);
// What `build` and `emit` make: portable. What runs here: one that fits this machine.
Targets portableTargets();
Targets hostTargets();

// Puts --dim and --attr into a kernel, or into all; names that are not its own are left.
Result<ir::Kernel> fixValues(const ir::Kernel& kernel, const std::map<std::string, int64_t>& dims,
                             const std::map<std::string, std::string>& attributes);
std::variant<ir::Module, ExitCode> fixValues(const Loaded& loaded,
                                             const std::map<std::string, std::string>& attributes);

// Each op of a kernel with its strategy and the reasons for it, as text; and with its statement,
// where the kernel's spec is given.
std::string scheduleText(const ir::Kernel& kernel, const strategy::ScheduleOptions& options,
                         const std::string& indent, const SourceFile* spec = nullptr);
// For these kernels: of the settings for one op that of --schedule counts, then that of --tuning,
// whose libraries are for --lib=auto.
strategy::ScheduleOptions scheduleOptions(const CodeOptions& options, const target::Target* target,
                                          const std::vector<ir::Kernel>& kernels);

// Runs the passes of pipeline.cpp, for each target, up to the level asked for. A module that breaks
// the IR's rules is a bug in Einc.
std::variant<std::vector<Compiled>, ExitCode> compile(const ir::Module& module,
                                                      const CodeOptions& options,
                                                      const Tracing& tracing,
                                                      ir::Level until = ir::Level::Hardware);

// ---- What `opt` shares ----

// Prints the IR after the passes asked for, on standard error.
strategy::AfterPass tracer(const Tracing& tracing);
// The reason why --print-ir-after is wrong.
std::optional<Reason> findUnknownPass(const Tracing& tracing);
// Prints why a pipeline ended early; the exit code.
ExitCode reportFailure(const strategy::PassFailure& failure);

}  // namespace einc::driver
