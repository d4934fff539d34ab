// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/commands.h"
#include "compiler/driver/fixed_values.h"
#include "compiler/driver/load.h"
#include "compiler/frontend/lint.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {
namespace {

// "spec.tc:7:9: matmul: index 'm + 1' ..." and, indented, the reasons.
std::string factText(const SourceFile& source, const std::string& def, const frontend::Fact& fact) {
  auto at = source.position(fact.place.begin);
  std::string text = source.name() + ":" + std::to_string(at.line) + ":" +
                     std::to_string(at.column) + ": " + def + ": " + fact.text + "\n";
  for (const std::string& reason : fact.reasons) text += "    " + reason + "\n";
  return text;
}

}  // namespace

int explain(const std::string& name) {
  std::vector<std::string> names;
  for (const DiagPage& page : diagPages()) {
    names.emplace_back(page.name);
    if (name == "all") llvm::outs() << page.name << ": " << page.explanation << '\n';
    if (name != page.name) continue;
    llvm::outs() << page.name << ": " << page.explanation << '\n';
    if (!page.slip.empty())
      llvm::outs() << "\nFor example\n\n  " << page.slip << "\n\nwhere this is good:\n\n  "
                   << page.mended << '\n';
    llvm::outs().flush();
    return kSuccess;
  }
  llvm::outs().flush();
  if (name == "all") return kSuccess;
  return fail(kBadCommandLine, "--explain=" + name + ": no diagnostic has this name" +
                                   didYouMean(name, names) + "; --explain=all lists them");
}

int check(const Request& request, bool warningsAreErrors) {
  std::string facts;
  auto inspect = [&](const ir::Kernel& kernel, const std::map<std::string, int64_t>& dims,
                     Diagnostics& errors) {
    // Values that do not fit are reported below, for all defs.
    auto fixed = fixValues(kernel, dims, request.attributes);
    for (const frontend::Fact& fact : frontend::lint(fixed ? *fixed : kernel, errors))
      facts += factText(errors.source(), kernel.name, fact);
  };
  auto loaded = load(request, {.assumeTypes = true,
                               .warningsAreErrors = warningsAreErrors,
                               .notes = true,
                               .inspect = inspect});
  if (auto* code = std::get_if<ExitCode>(&loaded)) return *code;
  const Loaded& good = std::get<Loaded>(loaded);
  auto fixed = fixValues(good, request.attributes);
  if (auto* code = std::get_if<ExitCode>(&fixed)) return *code;
  llvm::outs() << facts;
  llvm::outs().flush();
  if (warningsAreErrors && good.warnings != 0)
    return fail(kBadInput, std::to_string(good.warnings) + " warnings, and --Werror was given");
  size_t count = good.module.kernels.size();
  llvm::errs() << good.sourceNames << ": " << count << (count == 1 ? " def is" : " defs are")
               << " good\n";
  return kSuccess;
}

}  // namespace einc::driver
