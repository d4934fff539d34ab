// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// One kernel as one MLIR function, on buffers or on tensors.
#pragma once

#include <string>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::emit::mlir {

enum class Data { Buffers, Tensors };

// The function @name of a structured kernel whose maps hold no attributes. Scalars and attributes
// are passed as in C (text/signature.h).
Result<std::string> functionText(const ir::Kernel& kernel, Data data, const std::string& name);

}  // namespace einc::emit::mlir
