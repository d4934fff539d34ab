// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Op definitions in the form of MLIR's historic mlir-linalg-ods-gen, as the document of its Linalg
// dialect shows it: TableGen declarations, and the C++ methods that give an op its iterator types,
// indexing maps and region. https://mlir.llvm.org/docs/Dialects/Linalg/
//
// The declarations want a base class LinalgNamedStructured_Op<mnemonic, traits> that brings what
// all such ops share (the dialect, AttrSizedOperandSegments, the interfaces), and MLIR's OpBase.td.
// The methods want StructuredOpsUtils, the affine library, and functions std_NAME that build the
// ops of the payload: std_addf(a, b).
#pragma once

#include <string>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::emit {

// Both take structured kernels with one StructuredOp each (see named_op.h). The reason names every
// def that has more, or something that an op definition cannot say.
Result<std::string> emitOdsDecl(const ir::Module& module);
Result<std::string> emitOdsImpl(const ir::Module& module);

// The record of an op without ods_def: batchmatmulOp for batchmatmul, BatchMatmulOp for
// batch_matmul (a name with an underscore would begin with a dialect).
std::string odsRecord(const ir::Kernel& kernel);

}  // namespace einc::emit
