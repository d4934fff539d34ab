// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/installed.h"
#include "compiler/driver/code_options.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/device_here.h"
#include "compiler/driver/fixed_values.h"
#include "compiler/driver/ir_text.h"
#include "compiler/driver/schedules.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/support/files.h"

namespace einc::driver {
namespace {

std::string textOf(const Result<std::string>& result) { return result ? *result : result.reason(); }

}  // namespace

int explainSchedule(const Request& request) {
  auto chosen = chooseCode(request, hostTargets());
  if (auto* code = std::get_if<ExitCode>(&chosen)) return *code;
  const CodeOptions& wanted = std::get<CodeOptions>(chosen);
  std::string text;
  // Of another machine nothing is known.
  for (const std::string library : {"cblas", "blis"})
    if (request.targets.empty() && (wanted.library == library || wanted.library == "auto"))
      text += library + " here: " + textOf(bench::installed(library)) + "\n";
  auto loaded = load(request, {.assumeTypes = true});
  if (auto* code = std::get_if<ExitCode>(&loaded)) return *code;
  const Loaded& good = std::get<Loaded>(loaded);
  auto fixed = fixValues(good, request.attributes);
  if (auto* code = std::get_if<ExitCode>(&fixed)) return *code;
  const ir::Module& module = std::get<ir::Module>(fixed);
  if (int code = refuseBelow(ir::Level::Buffers, "an explanation", module, good)) return code;
  auto schedules = schedule(module, wanted, {});
  if (auto* code = std::get_if<ExitCode>(&schedules)) return *code;
  if (const target::Device* device = wanted.targets.front()->device) text += deviceText(*device);
  for (size_t i = 0; i < module.kernels.size(); ++i)
    for (const pipeline::Scheduled& scheduled : std::get<Schedules>(schedules)) {
      const std::string& name = module.kernels[i].name;
      text += (text.empty() ? "" : "\n") + name + ", for " +
              std::string(scheduled.options.target->name) + "\n\n" +
              scheduleText(scheduled.decisions[i], "  ", good.sources.at(name).get());
    }
  std::string reason = writeOutputs({{"-", text}});
  return reason.empty() ? kSuccess : fail(kBadInput, reason);
}

}  // namespace einc::driver
