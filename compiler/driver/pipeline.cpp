// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/pipeline.h"

#include <algorithm>

#include "compiler/driver/attributes.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/transforms/bufferize.h"
#include "compiler/transforms/lower.h"
#include "compiler/transforms/specialize.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

// Verifies and traces the kernel that pass `name` made. kSuccess, or the end.
ExitCode afterPass(const std::string& name, const ir::Kernel& kernel, const Tracing& tracing) {
  bool asked = std::find(tracing.after.begin(), tracing.after.end(), name) != tracing.after.end();
  if (tracing.afterAll || asked) llvm::errs() << "// after " << name << '\n' << ir::print(kernel);
  auto violations = ir::verify(kernel);
  if (violations.empty()) return kSuccess;
  ir::Module module;
  module.kernels.push_back(kernel);
  return static_cast<ExitCode>(failInternally(
      "after pass '" + name + "', kernel '" + kernel.name + "' breaks " + violations.front().str(),
      ir::print(module)));
}

}  // namespace

std::variant<ir::Module, ExitCode> fixValues(const Loaded& loaded,
                                             const std::map<std::string, std::string>& attributes) {
  if (auto reason = findUnknownDim(loaded.dims, loaded.module))
    return static_cast<ExitCode>(fail(kBadCommandLine, reason->text));
  if (auto reason = findUnknownAttribute(attributes, loaded.module))
    return static_cast<ExitCode>(fail(kBadCommandLine, reason->text));
  ir::Module result;
  for (const ir::Kernel& kernel : loaded.module.kernels) {
    transforms::Fixed fixed{loaded.dims, {}};
    for (const auto& [name, text] : attributes) {
      auto attribute = kernel.findAttribute(name);
      if (!attribute) continue;
      auto values = parseAttributeValue(kernel.attributes[*attribute], text);
      if (!values) return static_cast<ExitCode>(fail(kBadCommandLine, values.reason()));
      fixed.attributes.emplace(name, *values);
    }
    result.kernels.push_back(transforms::specialize(kernel, fixed));
  }
  return result;
}

std::variant<std::vector<Compiled>, ExitCode> compile(const ir::Module& module,
                                                      const Tracing& tracing) {
  std::vector<Compiled> result;
  for (const ir::Kernel& kernel : module.kernels) {
    // The frontend and the fixed values have made this one.
    if (ExitCode code = afterPass("specialize", kernel, tracing); code != kSuccess) return code;

    // Locals get memory before loops can address it.
    ir::Kernel buffers = transforms::bufferize(kernel);
    if (ExitCode code = afterPass("bufferize", buffers, tracing); code != kSuccess) return code;

    // What is still structured becomes plain loops; nothing structured is left after this.
    ir::Kernel code = transforms::lower(buffers);
    if (ExitCode end = afterPass("lower", code, tracing); end != kSuccess) return end;

    result.push_back({kernel, std::move(code)});
  }
  return result;
}

}  // namespace einc::driver
