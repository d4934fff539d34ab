// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The judge: runs a kernel at any level, exactly as ir.h and functions.def define it. Readable and
// slow. A StructuredOp's iterations run in lexicographic order.
#pragma once

#include "compiler/interp/contract.h"

namespace einc::interp {

// Runs a verified kernel. If the arguments do not meet the contract (contract.h), nothing is
// touched.
Outcome run(const ir::Kernel& kernel, const Arguments& arguments);

}  // namespace einc::interp
