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
// uses gets none. In a loop on workgroups that is memory of the workgroup.
//
// A local that ends in an output is in the output's memory from the start: where the last op that
// uses it overwrites an output of its shape, element by element, and nothing before uses that.
//
//   before  op (m, k) ins(%A[m + k]) outs(%T[m]) { (a, t) -> add(t, a) }
//           op (m) ins(%T[m]) outs(%C[m]) { (t, c) -> div(t, 3.0_f32) }
//   after   op (m, k) ins(%A[m + k]) outs(%C[m]) { (a, c) -> add(c, a) }
//           op (m) outs(%C[m]) { (c) -> div(c, 3.0_f32) }
//
// Not where a call may pass an input as that output: it is read until the output is written.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// A local that all ops of its body, each by itself, use so; it stays where it is if it cannot. Any level.
void putInOutput(ir::Kernel& kernel, unsigned local);

// `kernel` is on tensors; the result on buffers.
ir::Kernel bufferize(const ir::Kernel& kernel);

}  // namespace einc::transforms
