// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Transformations with what a target says to them: for the pipeline, and for the passes by name.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/settings.h"
#include "compiler/support/result.h"
#include "compiler/target/target.h"

namespace einc::pipeline {

// At level buffers, calls the functions that are set for ops. They run where the program does:
// refused on a device. `target` may be null, if it is not known yet.
Result<ir::Module> callExternal(const ir::Module& module,
                                const std::vector<strategy::Setting>& settings,
                                const target::Target* target);

ir::Kernel vectorize(const ir::Kernel& kernel, const target::Target& target, bool keepsOrder);
ir::Kernel multiplyNarrow(ir::Kernel kernel, const target::Target& target);
ir::Kernel unroll(ir::Kernel kernel, const target::Target& target);
ir::Kernel reduceTogether(ir::Kernel kernel, const target::Target& target);

}  // namespace einc::pipeline
