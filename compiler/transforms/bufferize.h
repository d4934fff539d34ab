// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Gives every local tensor its memory.
//
//   before  local %T: tensor<M x N x f32>          level tensors
//           op ... outs(%T[m, n]) { ... }
//   after   local %T: tensor<M x N x f32>          level buffers
//           alloc %T
//           op ... outs(%T[m, n]) { ... }
//
// Each alloc stands right before the first statement that uses the tensor; a tensor that nothing
// uses gets none.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// `kernel` is on tensors; the result on buffers.
ir::Kernel bufferize(const ir::Kernel& kernel);

}  // namespace einc::transforms
