// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/pipeline.h"

#include <atomic>
#include <iterator>
#include <string>
#include <utility>

#include "compiler/pipeline/on_target.h"
#include "compiler/strategy/fusion/fusion.h"
#include "compiler/strategy/libraries.h"
#include "compiler/strategy/schedule.h"
#include "compiler/transforms/assume_numbers.h"
#include "compiler/transforms/bufferize.h"
#include "compiler/transforms/canonicalize.h"
#include "compiler/transforms/contract.h"
#include "compiler/transforms/distribute.h"
#include "compiler/transforms/hoist_values.h"
#include "compiler/transforms/map_to_library.h"
#include "compiler/transforms/reduce_together.h"
#include "compiler/transforms/simplify.h"
#include "compiler/transforms/vectorize.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::pipeline {
namespace {

std::atomic<int> countOfScheduled = 0;

bool asksLibraries(const strategy::ScheduleOptions& options) {
  return !strategy::defaultLibrary(options).empty() ||
         llvm::any_of(options.settings,
                      [](const strategy::Setting& setting) { return setting.name == "library"; });
}

}  // namespace

std::variant<Scheduled, PassFailure> schedule(const ir::Module& module,
                                              const strategy::ScheduleOptions& options,
                                              const AfterPass& after) {
  Sequence passes(module, after);
  // First: what fixed sizes and attributes make known.
  passes.run("simplify", transforms::simplify);
  // While no tensor has memory yet.
  passes.run("fuse", strategy::fuse);
  // Locals get memory before loops can address it.
  passes.run("bufferize", transforms::bufferize);
  // Once ops are as they will be: before any code is chosen for what is computed elsewhere.
  passes.runAll("call-external", [&](const ir::Module& fused) {
    return callExternal(fused, options.settings, options.target);
  });
  // While all ops are whole.
  if (asksLibraries(options))
    passes.run("map-to-library", [&](const ir::Kernel& kernel) {
      return transforms::mapToLibrary(kernel, strategy::libraryRules(options, kernel.name));
    });
  if (passes.failure()) return *passes.failure();

  Scheduled result{options, passes.module(), {}, {}, {}};
  passes.run("schedule", [&](const ir::Kernel& kernel) {
    // While every op is still whole, and says what kind it is.
    strategy::Decision decision = strategy::decide(kernel, options);
    ++countOfScheduled;
    result.reports.push_back(decision.reports);
    llvm::append_range(result.errors, decision.errors);
    // Once all of the kernel is decided.
    return strategy::apply(std::move(decision));
  });
  if (passes.failure()) return *passes.failure();
  result.tiled = passes.module();
  return result;
}

std::variant<ir::Module, PassFailure> finish(const Scheduled& scheduled, ir::Level until,
                                             const AfterPass& after) {
  const strategy::ScheduleOptions& options = scheduled.options;
  const target::Target& target = *options.target;
  const bool onDevice = target.device != nullptr;
  Sequence passes(scheduled.tiled, after);
  // While loops over tiles say what is parallel.
  if (onDevice)
    passes.run("distribute", [&](const ir::Kernel& kernel) {
      return transforms::distribute(kernel, target.device->invocations);
    });
  if (until >= ir::Level::Vector) {
    // What is still structured becomes vectors, or scalar loops.
    passes.run("vectorize", [&](const ir::Kernel& kernel) {
      return transforms::vectorize(kernel, options.keepsOrder);
    });
    // While a payload is still one expression.
    if (target.hasFma && !options.keepsOrder) passes.run("contract", transforms::contractProducts);
  }
  if (until >= ir::Level::Hardware) {
    // Vectors of any shape become those that the target has.
    passes.run("unroll", [&](const ir::Kernel& kernel) { return unroll(kernel, target); });
    // While values have names, of which two can be checked at a time.
    if (target.hasMaxOfNumbers) passes.run("assume-numbers", transforms::assumeNumbers);
    if (!onDevice) {
      // Once all vectors are those of the target.
      passes.run("reduce-together", transforms::reduceTogether);
      // Once all that is computed stands where it is computed.
      passes.run("hoist-values", transforms::hoistValues);
      // Last: the loops that other passes have made.
      passes.run("canonicalize", [&](const ir::Kernel& kernel) {
        return transforms::canonicalize(kernel, {.contiguous = options.contiguous});
      });
    }
  }
  if (passes.failure()) return *passes.failure();
  return passes.module();
}

int scheduledKernels() { return countOfScheduled; }

}  // namespace einc::pipeline
