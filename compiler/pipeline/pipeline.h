// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The passes from checked kernels to what the emitters print, in their order.
//
//   tensors -> schedule() -> buffers, tiled, reports -> finish() -> vector -> hardware
//
// A kernel goes on from the level that it has: each pass leaves alone those that are below what it
// takes.
//
// What is said of a schedule (explanations, errors of settings, schedules as text, comments in
// generated C) and what is made of it come from one value, made once.
#pragma once

#include <variant>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/pipeline/sequence.h"
#include "compiler/strategy/decision.h"
#include "compiler/strategy/options.h"

namespace einc::pipeline {

// The kernels of a module on one target.
struct Scheduled {
  strategy::ScheduleOptions options;
  ir::Module buffers;  // what was decided on; settings count the ops as they stand here
  ir::Module tiled;
  std::vector<strategy::Decision> decisions;  // of each kernel
  // Settings that cannot be, of all kernels: the model decided in their place, or they could not be done.
  std::vector<strategy::SettingError> errors;
};

// Of kernels below level buffers nothing is decided: what is done with their ops stands in them.
std::variant<Scheduled, PassFailure> schedule(const ir::Module& module,
                                              const strategy::ScheduleOptions& options,
                                              const AfterPass& after = nullptr,
                                              VerifyEach* each = nullptr);

// At level `until`, which is tiled or below.
std::variant<ir::Module, PassFailure> finish(const Scheduled& scheduled, ir::Level until,
                                             const AfterPass& after = nullptr,
                                             VerifyEach* each = nullptr);

// How many kernels were scheduled in this process: tests count that it is once for each target.
int scheduledKernels();

}  // namespace einc::pipeline
