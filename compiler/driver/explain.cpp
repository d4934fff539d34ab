// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/bench/installed.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/device_here.h"
#include "compiler/driver/pipeline.h"
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
  std::map<std::string, SourceFile> specs;  // of kernels
  auto inspect = [&](const ir::Kernel& kernel, const auto&, const Diagnostics& errors) {
    specs.emplace(kernel.name, errors.source());
  };
  auto loaded = load(request, {.assumeTypes = true, .inspect = inspect});
  if (auto* code = std::get_if<ExitCode>(&loaded)) return *code;
  auto fixed = fixValues(std::get<Loaded>(loaded), request.attributes);
  if (auto* code = std::get_if<ExitCode>(&fixed)) return *code;
  if (int code = checkSchedule(std::get<ir::Module>(fixed), wanted)) return code;
  if (const target::Device* device = wanted.targets.front()->device) text += deviceText(*device);
  for (const ir::Kernel& kernel : std::get<ir::Module>(fixed).kernels)
    for (const target::Target* target : wanted.targets)
      text += (text.empty() ? "" : "\n") + kernel.name + ", for " + std::string(target->name) +
              "\n\n" +
              scheduleText(kernel, scheduleOptions(wanted, target, {kernel}), "  ",
                           &specs.at(kernel.name));
  std::string reason = writeOutputs({{"-", text}});
  return reason.empty() ? kSuccess : fail(kBadInput, reason);
}

}  // namespace einc::driver
