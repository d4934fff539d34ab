// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <map>

#include "compiler/bench/installed.h"
#include "compiler/driver/code_options.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/device_here.h"
#include "compiler/driver/fixed_values.h"
#include "compiler/driver/ir_text.h"
#include "compiler/driver/passes_seen.h"
#include "compiler/driver/schedules.h"
#include "compiler/driver/summary.h"
#include "compiler/driver/summary_parts.h"
#include "compiler/driver/tracing.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/support/files.h"

namespace einc::driver {
namespace {

std::string textOf(const Result<std::string>& result) { return result ? *result : result.reason(); }

// What can be said of the module's defs on one target.
class Explainer {
 public:
  Explainer(const ir::Module& module, const Loaded& loaded) : module_(module), loaded_(loaded) {}

  pipeline::AfterPass watch(const target::Target& target) {
    PassesSeen& seen = seen_[std::string(target.name)];
    seen.begin(module_);
    return [&seen](std::string_view pass, ir::Module& made) { seen.see(pass, made); };
  }

  // The passes behind the schedule, too. The exit code, after messages.
  int finish(const Schedules& schedules) {
    for (const pipeline::Scheduled& scheduled : schedules) {
      auto made = pipeline::finish(scheduled, ir::Level::Hardware, watchOn(scheduled));
      if (auto* failure = std::get_if<pipeline::PassFailure>(&made)) return reportFailure(*failure);
      codes_.push_back(std::move(std::get<ir::Module>(made)));
    }
    return kSuccess;
  }

  std::string summary(const Schedules& schedules, size_t kernel, size_t target) const {
    return summaryOf(explained(schedules, kernel, target));
  }

  std::string all(const Schedules& schedules, size_t kernel, size_t target) const {
    const Explained told = explained(schedules, kernel, target);
    std::string text = told.kernel.name + ", for " + std::string(told.target.name) + "\n\n" +
                       scheduleText(told.decision, "  ", &told.source);
    std::string passes;
    for (const std::string& pass : told.passes)
      if (const std::string said = passText(pass); !said.empty()) passes += "    " + said + "\n";
    if (!passes.empty()) text += "\n  passes that changed it\n" + passes;
    for (const std::string& name : told.instructions) text += "\n  instruction: " + name + "\n";
    return text;
  }

 private:
  pipeline::AfterPass watchOn(const pipeline::Scheduled& scheduled) {
    PassesSeen& seen = seen_[std::string(scheduled.options.target->name)];
    return [&seen](std::string_view pass, ir::Module& made) { seen.see(pass, made); };
  }

  Explained explained(const Schedules& schedules, size_t kernel, size_t target) const {
    const pipeline::Scheduled& scheduled = schedules[target];
    const ir::Kernel& wanted = scheduled.buffers.kernels[kernel];
    return {wanted,
            scheduled.decisions[kernel],
            *scheduled.options.target,
            *loaded_.sources.at(wanted.name),
            seen_.at(std::string(scheduled.options.target->name)).of(wanted.name),
            instructionsIn(codes_[target].kernels[kernel]),
            dispatchesText(codes_[target].kernels[kernel].body)};
  }

  const ir::Module& module_;
  const Loaded& loaded_;
  std::map<std::string, PassesSeen> seen_;  // of each target
  std::vector<ir::Module> codes_;           // the same order as the schedules
};

// Of libraries, and of a device, before the defs.
std::string machineText(const Request& request, const CodeOptions& wanted, bool isVerbose) {
  std::string text;
  // Of another machine nothing is known.
  for (const std::string library : {"cblas", "blis"})
    if (request.targets.empty() && (wanted.library == library || wanted.library == "auto"))
      text += library + " here: " + textOf(bench::installed(library)) + "\n";
  const target::Device* device = wanted.targets.front()->device;
  return text + (device && isVerbose ? deviceText(*device) : "");
}

}  // namespace

int explainSchedule(const Request& request, bool isVerbose) {
  auto chosen = chooseCode(request, hostTargets());
  if (auto* code = std::get_if<ExitCode>(&chosen)) return *code;
  const CodeOptions& wanted = std::get<CodeOptions>(chosen);
  auto loaded = load(request, {.assumeTypes = true});
  if (auto* code = std::get_if<ExitCode>(&loaded)) return *code;
  const Loaded& good = std::get<Loaded>(loaded);
  auto fixed = fixValues(good, request.attributes);
  if (auto* code = std::get_if<ExitCode>(&fixed)) return *code;
  const ir::Module& module = std::get<ir::Module>(fixed);
  if (int code = refuseBelow(ir::Level::Buffers, "an explanation", module, good)) return code;
  Explainer explainer(module, good);
  auto decided = schedule(module, wanted, {},
                          [&](const target::Target& target) { return explainer.watch(target); });
  if (auto* code = std::get_if<ExitCode>(&decided)) return *code;
  const auto& schedules = std::get<Schedules>(decided);
  if (int code = explainer.finish(schedules)) return code;
  std::string text = machineText(request, wanted, isVerbose);
  for (size_t kernel = 0; kernel < module.kernels.size(); ++kernel)
    for (size_t target = 0; target < schedules.size(); ++target)
      text +=
          (text.empty() ? "" : "\n") + (isVerbose ? explainer.all(schedules, kernel, target)
                                                  : explainer.summary(schedules, kernel, target));
  if (!isVerbose)
    text += "\n(--verbose says all: each step, each number with its reason, the schedule)\n";
  std::string reason = writeOutputs({{"-", text}});
  return reason.empty() ? kSuccess : fail(kBadInput, reason);
}

}  // namespace einc::driver
