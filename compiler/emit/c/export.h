// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Kernels under the names of a CBLAS (libcalls/cblas/exports.h).
#pragma once

#include <string>

#include "compiler/emit/c/prelude.h"
#include "compiler/ir/ir.h"

namespace einc::emit {

// `call` is what the kernel computes, all of it: its operands are the kernel's tensors, its factors
// the kernel's parameters. The function that the CBLAS function calls; that goes to the prelude.
std::string exportText(const ir::Kernel& contract, const ir::LibraryCall& call,
                       const std::string& prefix, Prelude& prelude);

}  // namespace einc::emit
