// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a request says about the code that is wanted, with the files that it names.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/driver/commands.h"
#include "compiler/driver/tuning.h"
#include "compiler/strategy/schedule_text.h"
#include "compiler/target/target.h"

namespace einc::pipeline {
class VerifyEach;
}

namespace einc::driver {

using Targets = std::vector<const target::Target*>;

struct CodeOptions {
  Targets targets;  // the most modest first
  int64_t threads = 1;
  bool keepsOrder = false;  // of floating-point sums
  bool contiguous = false;  // unit stride along the last dimension of each argument is promised
  int64_t align = 1;        // and first elements at multiples of so many bytes
  // What was read from --schedule; or null.
  struct Schedule {
    SourceFile source;
    std::vector<strategy::ScheduleEntry> entries;
  };
  std::shared_ptr<const Schedule> schedule = nullptr;
  std::string library = {};  // "cblas", "blis": what is asked first; "auto"; empty: none
  std::shared_ptr<const Tuning> tuning = nullptr;  // what was read from --tuning; or null
  std::vector<strategy::Setting> settings = {};    // on all targets, before those of the files
  std::string plant = {};  // one of passPlants(), one of stepPlants(), or one of the emitters'
  // With --verify-each: what looks at each pass and step; or null.
  std::shared_ptr<pipeline::VerifyEach> each = nullptr;
};

// The exit code after a message: an unknown name, two architectures at once, no number of threads,
// a schedule that cannot be read.
std::variant<CodeOptions, ExitCode> chooseCode(const Request& request, const Targets& byDefault);

// What `build` and `emit` make: portable, for a module whose kernels may gain by each. What runs here: one that
// fits this machine.
Targets portableTargets(const ir::Module& module);
Targets hostTargets();

// All that --target takes.
std::vector<std::string> targetNames();

}  // namespace einc::driver
