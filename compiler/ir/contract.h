// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What holds of a kernel whatever passes do to it: ops on tensors, from which checks of calls
// follow, and what each level computes.
#pragma once

#include <memory>

#include "compiler/ir/ir.h"

namespace einc::ir {

// The kernel's own, or, down to level buffers, where all ops are whole, the ops that stand there;
// null below that.
//
//   before  kernel @f(...) -> (...) level buffers { alloc %T  fused { op ...  op ... } }
//   after   kernel @f(...) -> (...) level tensors { local %T: ...  op ...  op ... }
std::shared_ptr<const Kernel> contractOf(const Kernel& kernel);

// The kernel with its contract beside it, if it has one.
Kernel withContract(Kernel kernel);

}  // namespace einc::ir
