// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/name_warnings.h"

#include "compiler/emit/text/names.h"
#include "compiler/support/diagnostics.h"
#include "llvm/Support/raw_ostream.h"

namespace einc::driver {

void warnOfNames(const Loaded& loaded, const ir::Module& module, const std::string& prefix) {
  for (const ir::Kernel& kernel : module.kernels) {
    auto why = emit::whyRenamed(kernel.name, prefix);
    if (!why) continue;
    Diagnostics warnings(*loaded.sources.at(kernel.name));
    warnings.warning(Diag::CName, kernel.source,
                     "the C function of '" + kernel.name + "' is called '" +
                         emit::functionName(kernel.name, prefix) + "', because " + *why +
                         "; rename the def, or give all functions a prefix with --prefix");
    warnings.print(llvm::errs());
  }
}

}  // namespace einc::driver
