// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// --stage=mlir: structured kernels with their attributes' defaults where MLIR needs constants.
#pragma once

#include <string>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::driver {

// The text, or why not: a line for each def that cannot be expressed.
Result<std::string> mlirText(const ir::Module& module, const std::string& prefix);

}  // namespace einc::driver
