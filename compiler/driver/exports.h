// Part of Einc. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::driver {

// The function of a CBLAS that the kernel computes, its factors being the kernel's parameters; or
// what it is that no such function does.
Result<ir::LibraryCall> exportedCall(const ir::Kernel& contract);

}  // namespace einc::driver
