// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/pipeline.h"

#include <atomic>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "compiler/ir/contract.h"
#include "compiler/pipeline/on_target.h"
#include "compiler/pipeline/verify_each.h"
#include "compiler/strategy/fusion/fusion.h"
#include "compiler/strategy/fusion/in_place.h"
#include "compiler/strategy/fusion/in_rounds.h"
#include "compiler/strategy/fusion/in_tiles.h"
#include "compiler/strategy/fusion/layouts.h"
#include "compiler/strategy/fusion/locals.h"
#include "compiler/strategy/fusion/once.h"
#include "compiler/strategy/fusion/zero_points.h"
#include "compiler/strategy/libraries.h"
#include "compiler/strategy/schedule.h"
#include "compiler/transforms/assume_numbers.h"
#include "compiler/transforms/bufferize.h"
#include "compiler/transforms/canonicalize.h"
#include "compiler/transforms/contract.h"
#include "compiler/transforms/distribute.h"
#include "compiler/transforms/hoist_values.h"
#include "compiler/transforms/map_to_library.h"
#include "compiler/transforms/name_sizes.h"
#include "compiler/transforms/share_memory.h"
#include "compiler/transforms/simplify.h"
#include "compiler/transforms/trim.h"
#include "compiler/transforms/widen_sums.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::pipeline {
namespace {

std::atomic<int> countOfScheduled = 0;

// What passes keep, and what is promised of arguments, goes with the kernels from here on.
ir::Module begun(const ir::Module& module, const strategy::ScheduleOptions& options) {
  ir::Module result;
  for (const ir::Kernel& kernel : module.kernels) {
    result.kernels.push_back(ir::withContract(kernel));
    result.kernels.back().contiguous |= options.contiguous;
  }
  return result;
}

// What is done with the ops of a kernel stands in it already.
void refuseSettings(const ir::Kernel& kernel, const strategy::ScheduleOptions& options,
                    std::vector<strategy::SettingError>& errors) {
  for (const strategy::Setting& setting : options.settings)
    if (setting.kernel == kernel.name)
      errors.push_back({setting, "'" + kernel.name + "' is at level " +
                                     std::string(ir::nameOf(kernel.level)) +
                                     ": what is done with its ops stands in it"});
}

PassFailure asFailure(const WrongStep& wrong, const ir::Module& module) {
  return {PassFailure::Kind::Broken, "schedule",
          "step " + wrong.step + " of op " + std::to_string(wrong.op) + ": " + wrong.reason, module,
          wrong.source};
}

// A kernel at level buffers: decided while every op is whole and says what kind it is, and done once all of it is
// decided. Or the step that is wrong.
std::optional<WrongStep> scheduleKernel(ir::Kernel& kernel,
                                        const strategy::ScheduleOptions& options, VerifyEach* each,
                                        strategy::Decision& decision,
                                        std::vector<strategy::SettingError>& allErrors) {
  decision = strategy::decide(kernel, options);
  ++countOfScheduled;
  std::vector<strategy::SettingError> errors = decision.errors;
  ir::Kernel done = strategy::apply(kernel, decision.parts, options, errors);
  llvm::append_range(allErrors, errors);
  std::optional<WrongStep> wrong;
  if (each && errors.empty()) wrong = each->findWrongStep(kernel, decision.parts, options);
  // Where a step could not be done the others may have left anything.
  if (errors.size() == decision.errors.size()) kernel = std::move(done);
  return wrong;
}

// What a schedule says where a pass that would do it does not run.
void refuse(const strategy::ScheduleOptions& options, const std::string& kernel,
            std::string_view what, const std::string& why,
            std::vector<strategy::SettingError>& errors) {
  for (const strategy::Setting& setting : options.settings)
    if (setting.kernel == kernel && setting.name == what && !setting.steps.empty())
      errors.push_back({setting, why});
}

bool asksLibraries(const strategy::ScheduleOptions& options) {
  return !strategy::defaultLibrary(options).empty() ||
         llvm::any_of(options.settings,
                      [](const strategy::Setting& setting) { return setting.name == "library"; });
}

}  // namespace

std::variant<Scheduled, PassFailure> schedule(const ir::Module& module,
                                              const strategy::ScheduleOptions& options,
                                              const AfterPass& after, VerifyEach* each) {
  using ir::Level;
  const ir::Module first = begun(module, options);
  Sequence passes(first, after, each);
  // First: what fixed sizes and attributes make known.
  passes.run("simplify", Level::Tensors, transforms::simplify);
  // A function of the user's own that is to do an op gets the spec's.
  auto unlessCalled = [&](auto pass) {
    return [&options, pass](const ir::Kernel& kernel) {
      return strategy::externalFunctions(options.settings, kernel.name).empty() ? pass(kernel)
                                                                                : kernel;
    };
  };
  // While sums are as the spec has them. (Devices have their own floats.)
  if (!options.target->device && !options.keepsOrder)
    passes.run("widen-sums", Level::Tensors, unlessCalled(transforms::widenSums));
  // While no tensor has memory yet.
  // A library is given what it takes: a product of two tensors.
  const bool packs =
      !options.target->device && options.target->vectorBytes > 0 && !asksLibraries(options);
  passes.run("inline", Level::Tensors, [&](const ir::Kernel& kernel) {
    return strategy::inlineLocals(kernel, /*intoProducts=*/packs);
  });
  // Once ops say all that they read. (A device has memory in which squares are turned.)
  if (!options.target->device && options.target->vectorBytes > 0) {
    // While an input is where the spec has it: the sums of one are as it lies.
    passes.run("zero-points", Level::Tensors, unlessCalled(strategy::takeOutZeroPoints));
    passes.run("lay-out", Level::Tensors, [&](const ir::Kernel& kernel) {
      return strategy::layOut(kernel, options.keepsOrder, options.target->vectorBytes);
    });
  }
  // While what is the same for several positions is computed at each: in a round it costs little.
  std::map<std::string, strategy::InRounds> rounds;
  if ((options.target->device || options.target->vectorBytes > 0) && !options.keepsOrder)
    passes.run("in-rounds", Level::Tensors, unlessCalled([&](const ir::Kernel& kernel) {
                 strategy::InRounds done =
                     strategy::inRounds(kernel, ofKernel(options, kernel.name));
                 ir::Kernel result = std::move(done.kernel);
                 rounds.insert_or_assign(kernel.name, std::move(done));
                 return result;
               }));
  // While ops stand one behind the other. (A library is given those of a tile, too.)
  std::map<std::string, strategy::InTiles> inTiles;
  if (options.target->device || options.target->vectorBytes > 0)
    passes.run("in-tiles", Level::Tensors, unlessCalled([&](const ir::Kernel& kernel) {
                 strategy::InTiles done = strategy::inTiles(kernel, ofKernel(options, kernel.name));
                 ir::Kernel result = std::move(done.kernel);
                 inTiles.insert_or_assign(kernel.name, std::move(done));
                 return result;
               }));
  // Once locals have the sizes that they will have.
  if (!options.target->device && options.target->vectorBytes > 0)
    passes.run("name-sizes", Level::Tensors, transforms::nameSizes);
  // Once it is known what is turned: squares have nowhere to keep what is the same for all of a line.
  if (!options.target->device && options.target->vectorBytes > 0)
    passes.run("once", Level::Tensors, strategy::computeOnce);
  passes.run("fuse", Level::Tensors, strategy::group);
  // Once it is known which locals have memory as wholes.
  if (!options.target->device)
    passes.run("in-place", Level::Tensors, unlessCalled(strategy::computeInPlace));
  // Locals get memory before loops can address it.
  passes.run("bufferize", Level::Tensors, transforms::bufferize);
  // Once ops are as they will be: before any code is chosen for what is computed elsewhere.
  passes.runAll("call-external", [&](const ir::Module& fused) {
    return callExternal(fused, options.settings, options.target);
  });
  // While all ops are whole.
  if (asksLibraries(options))
    passes.run("map-to-library", Level::Buffers, [&](const ir::Kernel& kernel) {
      return transforms::mapToLibrary(kernel, strategy::libraryRules(options, kernel.name));
    });
  if (passes.failure()) return *passes.failure();

  Scheduled result{strategy::withoutRounds(options), passes.module(), {}, {}, {}};
  result.decisions.resize(module.kernels.size());
  passes.runAll("schedule", [&](const ir::Module& whole) -> Result<ir::Module> {
    ir::Module tiled = whole;
    for (size_t i = 0; i < tiled.kernels.size(); ++i) {
      ir::Kernel& kernel = tiled.kernels[i];
      if (kernel.level > Level::Buffers)
        refuseSettings(kernel, options, result.errors);
      else if (auto wrong =
                   scheduleKernel(kernel, result.options, each, result.decisions[i], result.errors))
        passes.fail(asFailure(*wrong, whole));
      if (auto done = rounds.find(kernel.name); done != rounds.end()) {
        result.decisions[i].rounds = done->second.done;
        llvm::append_range(result.errors, done->second.errors);
      } else {
        refuse(options, kernel.name, strategy::kRounds,
               "with --fp=strict ops are not done in rounds", result.errors);
      }
      if (auto done = inTiles.find(kernel.name); done != inTiles.end()) {
        llvm::append_range(result.decisions[i].rounds, done->second.done);
        llvm::append_range(result.errors, done->second.errors);
      } else {
        refuse(options, kernel.name, strategy::kTiles,
               "ops are not done in tiles without vectors, or where functions of your own compute "
               "some of them",
               result.errors);
      }
    }
    return tiled;
  });
  // Once tiles are there that may lie outside. (A device would have to say so for whole workgroups.)
  if (!options.target->device && result.errors.empty())
    passes.run("trim", Level::Tiled, transforms::trim);
  passes.end();
  if (passes.failure()) return *passes.failure();
  result.tiled = passes.take();
  return result;
}

std::variant<ir::Module, PassFailure> finish(const Scheduled& scheduled, ir::Level until,
                                             const AfterPass& after, VerifyEach* each) {
  using ir::Level;
  const strategy::ScheduleOptions& options = scheduled.options;
  const target::Target& target = *options.target;
  const bool onDevice = target.device != nullptr;
  // What is at level hardware from the start is printed as it is.
  auto isFinished = [](const ir::Kernel& kernel) { return kernel.level == Level::Hardware; };
  const bool anyFinished = llvm::any_of(scheduled.tiled.kernels, isFinished);
  ir::Module unfinished;
  if (anyFinished)
    llvm::copy_if(scheduled.tiled.kernels, std::back_inserter(unfinished.kernels),
                  [&](const ir::Kernel& kernel) { return !isFinished(kernel); });
  Sequence passes(anyFinished ? unfinished : scheduled.tiled, after, each);
  // While loops over tiles say what is parallel.
  if (onDevice)
    passes.run("distribute", Level::Tiled, [&](const ir::Kernel& kernel) {
      return ir::hasDispatch(kernel.body)
                 ? kernel
                 : transforms::distribute(kernel, target.device->invocations);
    });
  if (until >= Level::Vector) {
    // What is still structured becomes vectors, or scalar loops.
    passes.run("vectorize", Level::Tiled, [&](const ir::Kernel& kernel) {
      return vectorize(kernel, target, options.keepsOrder);
    });
    // While a loop is one for all rows and columns.
    if (!onDevice)
      passes.run("multiply-narrow", Level::Vector,
                 [&](ir::Kernel kernel) { return multiplyNarrow(std::move(kernel), target); });
    // While a payload is still one expression.
    passes.run("contract", Level::Vector,
               target.hasFma && !options.keepsOrder ? transforms::contractProducts
                                                    : transforms::contractInstructions);
  }
  if (until >= Level::Hardware) {
    // Vectors of any shape become those that the target has.
    passes.run("unroll", Level::Vector,
               [&](ir::Kernel kernel) { return unroll(std::move(kernel), target); });
    // While values have names, of which two can be checked at a time.
    if (target.hasMaxOfNumbers)
      passes.run("assume-numbers", Level::Hardware, transforms::assumeNumbers);
    if (!onDevice) {
      // Once all vectors are those of the target.
      passes.run("reduce-together", Level::Hardware,
                 [&](ir::Kernel kernel) { return reduceTogether(std::move(kernel), target); });
      // Once all that is computed stands where it is computed.
      passes.run("hoist-values", Level::Hardware, transforms::hoistValues);
      // The loops that other passes have made.
      passes.run("canonicalize", Level::Hardware, [&](ir::Kernel kernel) {
        return transforms::canonicalize(std::move(kernel), {.contiguous = options.contiguous});
      });
      // Once each block has all that is in it, and nothing moves any more.
      passes.run("share-memory", Level::Hardware, transforms::shareMemory);
    }
  }
  passes.end();
  if (passes.failure()) return *passes.failure();
  ir::Module made = passes.take();
  if (!anyFinished) return made;
  ir::Module result = scheduled.tiled;
  size_t next = 0;
  for (ir::Kernel& kernel : result.kernels)
    if (!isFinished(kernel)) kernel = std::move(made.kernels[next++]);
  return result;
}

int scheduledKernels() { return countOfScheduled; }

}  // namespace einc::pipeline
