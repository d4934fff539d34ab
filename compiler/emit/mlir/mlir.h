// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Structured kernels as MLIR: linalg.generic with payloads in arith and math. For each kernel
//   func.func @NAME(%A: memref<...>, ...) attributes {llvm.emit_c_interface}
//   func.func @NAME_on_tensors(%A: tensor<...>, ...) -> tensor<...>
// The first is called like the C function _mlir_ciface_NAME; its arguments are not checked.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::emit {

// Indices (into the kernel's attributes) of those that Linalg's maps need as constants: they are to
// be fixed first.
std::vector<unsigned> attributesToFix(const ir::Kernel& kernel);

struct MlirKernel {
  ir::Kernel kernel;
  std::vector<std::string> notes;  // lines for the comment above its functions
};

// `prefix` goes before every function's name. A reason for each kernel that Linalg cannot express,
// one a line.
Result<std::string> emitMlir(const std::vector<MlirKernel>& kernels, const std::string& prefix);

}  // namespace einc::emit
