// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/driver/arguments.h"
#include "compiler/driver/attributes.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/native.h"
#include "compiler/driver/pipeline.h"
#include "compiler/interp/npy.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/files.h"
#include "compiler/support/text_writer.h"

namespace einc::driver {
namespace {

const std::vector<std::string> kEngines = {"reference", "tiled", "vector", "hw", "native"};

int interpret(const ir::Kernel& kernel, const EvalCall& call) {
  interp::Outcome outcome = interp::run(kernel, call.arguments);
  if (outcome.ok()) return kSuccess;
  return fail(kBadInput, std::string(interp::statusName(outcome.status)) + ": " + outcome.message);
}

// Runs the call; kSuccess, or the exit code after a message.
int runCall(const ir::Kernel& kernel, const EvalCall& call, const EvalOptions& options,
            const CodeOptions& wanted) {
  if (options.engine == "reference") return interpret(kernel, call);
  ir::Module module;
  module.kernels.push_back(kernel);
  using ir::Level;
  Level until = options.engine == "tiled"    ? Level::Tiled
                : options.engine == "vector" ? Level::Vector
                                             : Level::Hardware;
  auto compiled = compile(module, wanted, {}, until);
  if (auto* code = std::get_if<ExitCode>(&compiled)) return *code;
  const Compiled& only = std::get<std::vector<Compiled>>(compiled).front();
  if (options.engine != "native") {
    // What the contract refuses is not run; what is lowered relies on that.
    interp::CheckedCall checked;
    if (!interp::checkCall(kernel, call.arguments, checked).ok()) return interpret(kernel, call);
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
  if (std::find(kEngines.begin(), kEngines.end(), options.engine) == kEngines.end())
    return fail(kBadCommandLine, "--engine=" + options.engine + ": there are " + joined(kEngines) +
                                     didYouMean(options.engine, kEngines));
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
  auto prepared = prepareCall(kernel, options, good.dims, request.attributes);
  if (auto* error = std::get_if<EvalError>(&prepared)) return fail(error->code, error->message);
  const EvalCall& call = std::get<EvalCall>(prepared);
  auto chosen = chooseCode(request, hostTargets());
  if (auto* code = std::get_if<ExitCode>(&chosen)) return *code;
  const CodeOptions& wanted = std::get<CodeOptions>(chosen);
  if (int code = runCall(kernel, call, options, wanted)) return code;
  return writeResults(kernel, call);
}

}  // namespace einc::driver
