// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Op definitions in the form of MLIR's historic mlir-linalg-ods-gen: TableGen declarations, and the
// C++ methods that give an op its iterator types, indexing maps and region.
// https://mlir.llvm.org/docs/Dialects/Linalg/OpDSL/ tells of its successor.
#pragma once

#include <string>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::emit {

// Both take structured kernels with one StructuredOp each; a reason names the def that has more, or
// something that an op definition cannot say.
Result<std::string> emitOdsDecl(const ir::Module& module);
Result<std::string> emitOdsImpl(const ir::Module& module);

}  // namespace einc::emit
