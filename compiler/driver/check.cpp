// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/commands.h"
#include "compiler/driver/load.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {

int check(const Request& request, bool warningsAreErrors) {
  auto loaded = load(request, {.assumeTypes = true});
  if (auto* code = std::get_if<ExitCode>(&loaded)) return *code;
  const Loaded& good = std::get<Loaded>(loaded);
  if (warningsAreErrors && good.warnings != 0)
    return fail(kBadInput, std::to_string(good.warnings) + " warnings, and --Werror was given");
  size_t count = good.module.kernels.size();
  llvm::errs() << good.sourceNames << ": " << count << (count == 1 ? " def is" : " defs are")
               << " good\n";
  return kSuccess;
}

}  // namespace einc::driver
