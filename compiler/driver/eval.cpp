// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "compiler/driver/arguments.h"
#include "compiler/driver/attributes.h"
#include "compiler/driver/code_options.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/device.h"
#include "compiler/driver/ir_text.h"
#include "compiler/driver/known_values.h"
#include "compiler/driver/native.h"
#include "compiler/driver/native_device.h"
#include "compiler/driver/progress.h"
#include "compiler/interp/npy.h"
#include "compiler/ir/contract.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::driver {
namespace {

using ir::Level;

// What an engine runs: the level of the code.
Level levelOf(const std::string& engine) {
  if (engine == "tiled") return Level::Tiled;
  return engine == "vector" ? Level::Vector : Level::Hardware;
}

int interpret(const ir::Kernel& kernel, const EvalCall& call) {
  interp::Outcome outcome = interp::run(kernel, call.arguments);
  if (outcome.ok()) return kSuccess;
  return fail(kBadInput, std::string(interp::statusName(outcome.status)) + ": " + outcome.message);
}

// On the device, under the validation layer where the environment asks for it.
int runVulkan(const ir::Module& module, const EvalCall& call, const EvalOptions& options,
              const CodeOptions& wanted, const std::string& device) {
  auto kernels = compileForDevice(module, wanted, {}, options.plant);
  if (auto* code = std::get_if<ExitCode>(&kernels)) return *code;
  const char* validation = std::getenv("EINC_VK_VALIDATION");
  const DeviceChoice choice{device, validation && std::string_view(validation) == "1"};
  return runOnDevice(std::get<std::vector<DeviceKernel>>(kernels).front(), call.arguments, choice,
                     options.compiler, options.plant);
}

// Runs the call; kSuccess, or the exit code after a message.
int runCall(const ir::Kernel& kernel, const EvalCall& call, const EvalOptions& options,
            const CodeOptions& wanted, const std::string& device) {
  if (options.engine == "reference") return interpret(kernel, call);
  ir::Module module;
  module.kernels.push_back(kernel);
  if (options.engine == "vulkan") return runVulkan(module, call, options, wanted, device);
  auto compiled = compile(module, wanted, {}, levelOf(options.engine));
  if (auto* code = std::get_if<ExitCode>(&compiled)) return *code;
  const Compiled& only = std::get<std::vector<Compiled>>(compiled).front();
  if (options.engine != "native") {
    // What the contract refuses is not run; what is lowered relies on that.
    interp::CheckedCall checked;
    if (!interp::checkCall(only.contract, call.arguments, checked).ok())
      return interpret(kernel, call);
    return interpret(only.codes.front(), call);
  }
  auto status = runNative(only, wanted, call.arguments, options.compiler, options.plant);
  if (auto* code = std::get_if<ExitCode>(&status)) return *code;
  auto result = std::get<interp::Status>(status);
  if (result == interp::Status::EINC_OK) return kSuccess;
  return fail(kBadInput,
              std::string(interp::statusName(result)) + ": the kernel refused its arguments");
}

int writeResults(const ir::Kernel& kernel, const EvalCall& call) {
  std::vector<OutputFile> files;
  std::string text;
  for (const Destination& d : call.destinations)
    if (d.path.empty())
      text += arrayText(kernel.tensors[d.tensor].name, d.whole);
    else
      files.push_back({d.path, interp::writeNpy(d.whole)});
  if (!text.empty()) files.push_back({"-", text});
  std::string reason = writeOutputs(files);
  return reason.empty() ? kSuccess : fail(kBadInput, reason);
}

}  // namespace

int eval(const Request& request, const EvalOptions& options) {
  const std::vector<std::string>& engines = evalEngineNames();
  if (!llvm::is_contained(engines, options.engine))
    return fail(kBadCommandLine, "--engine=" + options.engine + ": there are " + joined(engines) +
                                     didYouMean(options.engine, engines));
  if (!request.device.empty() && options.engine != "vulkan")
    return fail(kBadCommandLine, "--device=" + request.device + " is for --engine=vulkan");
  auto loaded = load(request);
  if (auto* code = std::get_if<ExitCode>(&loaded)) return *code;
  const Loaded& good = std::get<Loaded>(loaded);
  if (good.module.kernels.size() != 1)
    return fail(kBadCommandLine,
                "the spec has several defs; choose one with --def: " +
                    joined(good.module.kernels, ", ", [](const ir::Kernel& k) { return k.name; }));
  if (auto reason = findUnknownDim(good.dims, good.module))
    return fail(kBadCommandLine, reason->text);
  if (auto reason = findUnknownAttribute(request.attributes, good.module))
    return fail(kBadCommandLine, reason->text);
  const ir::Kernel& kernel = good.module.kernels.front();
  const Level until = levelOf(options.engine);
  if (int code = refuseBelow(options.engine == "reference" ? Level::Hardware : until,
                             "--engine=" + options.engine, good.module, good))
    return code;
  const auto contract = ir::contractOf(kernel);
  if (!contract) return refuseUnprintable(good.module, good, CodeOptions{hostTargets()});
  auto prepared = prepareCall(*contract, options, good.dims, request.attributes);
  if (auto* error = std::get_if<EvalError>(&prepared)) return fail(error->code, error->message);
  const EvalCall& call = std::get<EvalCall>(prepared);
  bool onDevice = options.engine == "vulkan";
  auto usual = onDevice ? deviceTargets(request) : hostTargets();
  if (!usual) return fail(kBadInput, usual.reason());
  auto chosen = chooseCode(request, *usual);
  if (auto* code = std::get_if<ExitCode>(&chosen)) return *code;
  const CodeOptions& wanted = std::get<CodeOptions>(chosen);
  // Interpreted, each stage runs for any target.
  if (isForDevice(wanted) != onDevice && (onDevice || options.engine == "native"))
    return fail(kBadCommandLine, "--engine=" + options.engine + " with --target=" +
                                     std::string(wanted.targets.front()->name) + ": " +
                                     (onDevice ? "that is no device" : "give --engine=vulkan"));
  if (options.engine != "reference")
    if (int code = refuseUnprintable(good.module, good, wanted)) return code;
  if (wanted.each || onDevice || options.engine == "native")
    if (int code = refuseDifferent(good)) return code;
  Progress progress;
  if (options.engine != "native") Progress::say("computing '" + kernel.name + "'");
  if (int code = runCall(kernel, call, options, wanted, request.device)) return code;
  return writeResults(kernel, call);
}

}  // namespace einc::driver
