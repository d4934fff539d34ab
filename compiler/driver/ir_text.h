// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Kernels of IR text as input: read, and refused where what is asked for cannot be made of them.
#pragma once

#include <optional>
#include <string>

#include "compiler/driver/code_options.h"
#include "compiler/driver/load.h"
#include "compiler/ir/ir.h"
#include "compiler/support/diagnostics.h"

namespace einc::driver {

// The module that a text is, which keeps the rules, or nothing after errors.
std::optional<ir::Module> readModule(const SourceFile& source, Diagnostics& errors);

// The exit code after messages at the kernels that are below a level, or kSuccess. `what` is what
// needs that level: "--stage=ops".
int refuseBelow(ir::Level level, const std::string& what, const ir::Module& module,
                const Loaded& loaded);

// The same for kernels that have a target's instructions, where `what` is of no target.
int refuseInstructions(const ir::Module& module, const Loaded& loaded, const std::string& what);

// The same for kernels that are no code for one of the targets (pipeline/printable.h). `module` has
// the kernels that were loaded, with fixed values.
int refuseUnprintable(const ir::Module& module, const Loaded& loaded, const CodeOptions& wanted);

// The same for kernels that give something else than their contracts, on small instances: with
// --verify-each, and before what users wrote runs here.
int refuseDifferent(const Loaded& loaded);

}  // namespace einc::driver
