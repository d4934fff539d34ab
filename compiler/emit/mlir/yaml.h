// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Op definitions as mlir-linalg-ods-yaml-gen reads them: one document !LinalgOpConfig for each def.
// https://mlir.llvm.org/docs/Dialects/Linalg/OpDSL/
#pragma once

#include <string>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::emit {

// Takes structured kernels that are named ops (named_op.h) within what OpDSL knows: its functions;
// integer attributes of one dimension with defaults, used in index expressions; index expressions
// without sizes. The reason names every def that is not so.
Result<std::string> emitYaml(const ir::Module& module);

}  // namespace einc::emit
