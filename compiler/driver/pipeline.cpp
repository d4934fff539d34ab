// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/pipeline.h"

#include <algorithm>

#include "compiler/driver/attributes.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/support/diagnostics.h"
#include "compiler/support/text_writer.h"
#include "compiler/transforms/specialize.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

// The passes from structured ops on tensors to what is printed, with the reason for their order.
constexpr const char* kPasses =
    "bufferize,"  // locals get memory before loops can address it
    "lower";      // what is still structured becomes loops; nothing structured is left after this

}  // namespace

transforms::AfterPass tracer(const Tracing& tracing) {
  return [tracing](const transforms::Pass& pass, const ir::Module& module) {
    bool asked =
        std::find(tracing.after.begin(), tracing.after.end(), pass.name) != tracing.after.end();
    if (tracing.afterAll || asked)
      llvm::errs() << "// after " << pass.name << '\n' << ir::print(module);
  };
}

std::optional<Reason> findUnknownPass(const Tracing& tracing) {
  std::vector<std::string> known;
  for (const transforms::Pass& pass : transforms::allPasses()) known.emplace_back(pass.name);
  for (const std::string& name : tracing.after)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Reason{"--print-ir-after=" + name + ": unknown pass" + didYouMean(name, known) +
                    "; there are " + joined(known)};
  return std::nullopt;
}

ExitCode reportFailure(const transforms::PassFailure& failure) {
  std::string message = "pass '" + failure.pass + "': " + failure.reason;
  if (failure.kind == transforms::PassFailure::Kind::Refused)
    return static_cast<ExitCode>(fail(kBadInput, message));
  return static_cast<ExitCode>(failInternally(message, ir::print(failure.before)));
}

Result<ir::Kernel> fixValues(const ir::Kernel& kernel, const std::map<std::string, int64_t>& dims,
                             const std::map<std::string, std::string>& attributes) {
  transforms::Fixed fixed{dims, {}};
  for (const auto& [name, text] : attributes) {
    auto attribute = kernel.findAttribute(name);
    if (!attribute) continue;
    auto values = parseAttributeValue(kernel.attributes[*attribute], text);
    if (!values) return Reason{values.reason()};
    fixed.attributes.emplace(name, *values);
  }
  auto specialized = transforms::specialize(kernel, fixed);
  if (!specialized)
    return Reason{"with these --dim and --attr, in '" + kernel.name + "': " + specialized.reason()};
  return specialized;
}

std::variant<ir::Module, ExitCode> fixValues(const Loaded& loaded,
                                             const std::map<std::string, std::string>& attributes) {
  if (auto reason = findUnknownDim(loaded.dims, loaded.module))
    return static_cast<ExitCode>(fail(kBadCommandLine, reason->text));
  if (auto reason = findUnknownAttribute(attributes, loaded.module))
    return static_cast<ExitCode>(fail(kBadCommandLine, reason->text));
  ir::Module result;
  for (const ir::Kernel& kernel : loaded.module.kernels) {
    auto fixed = fixValues(kernel, loaded.dims, attributes);
    if (!fixed) return static_cast<ExitCode>(fail(kBadCommandLine, fixed.reason()));
    result.kernels.push_back(std::move(*fixed));
  }
  return result;
}

std::variant<std::vector<Compiled>, ExitCode> compile(const ir::Module& module,
                                                      const Tracing& tracing) {
  if (auto reason = findUnknownPass(tracing))
    return static_cast<ExitCode>(fail(kBadCommandLine, reason->text));
  if (auto violations = ir::verify(module); !violations.empty())
    return static_cast<ExitCode>(failInternally(
        "the frontend made a module that breaks " + violations.front().str(), ir::print(module)));
  SourceFile source("passes", kPasses);
  Diagnostics errors(source);
  auto pipeline = transforms::parsePipeline(source, errors);
  ir::Module code = module;
  if (auto failure = transforms::runPipeline(*pipeline, code, tracer(tracing)))
    return reportFailure(*failure);
  std::vector<Compiled> result;
  for (size_t i = 0; i < code.kernels.size(); ++i)
    result.push_back({module.kernels[i], std::move(code.kernels[i])});
  return result;
}

}  // namespace einc::driver
