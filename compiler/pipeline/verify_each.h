// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// --verify-each: after each pass, and after each step of a schedule, kernels still compute what
// they did.
//
// Each form is interpreted on small instances of its contract (interp/instances.h); what they give
// is computed once, so that a difference is that of the pass or the step before it. After a step
// means: that step and those before it in the text, and scalar loops for what is left
// (strategy/plan/prefixes.h). Steps that cannot be the last ones, such as `pack` before the loop
// over its panels, are seen with those behind them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "compiler/interp/instances.h"
#include "compiler/ir/ir.h"
#include "compiler/strategy/decision.h"

namespace einc::strategy {
struct ScheduleOptions;
}

namespace einc::pipeline {

// A step that changes what is computed, and how.
struct WrongStep {
  std::string step;    // its line; several where the first can't be the last of all
  SourceRange source;  // where the user wrote it
  size_t op;           // of the kernel
  std::string reason;
};

class VerifyEach {
 public:
  // What is wrong with a kernel that has a contract: "@f, M = 3: %C at [2]: 1, expected 2".
  std::optional<std::string> findDifference(const ir::Kernel& kernel);

  // `kernel` is at level buffers.
  std::optional<WrongStep> findWrongStep(const ir::Kernel& kernel,
                                         const std::vector<strategy::Part>& parts,
                                         const strategy::ScheduleOptions& options);

  // Kernels of which no instance is small enough: their sizes are known.
  std::vector<std::string> unseen() const;

 private:
  interp::Instances& instancesOf(const ir::Kernel& kernel);

  std::map<std::string, interp::Instances> instances_;  // by the kernel's name
};

}  // namespace einc::pipeline
