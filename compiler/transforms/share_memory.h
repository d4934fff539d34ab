// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Locals in the heap that are not needed at the same time get the same memory.
//
//   before  alloc %T: tensor<M x N x f32>   ... writes %T
//           alloc %U: tensor<M x P x f32>   ... reads %T, writes %U
//           alloc %V: tensor<M x Q x f32>   ... reads %U, writes %V
//           ... reads %V
//   after   alloc %T: tensor<M x N x f32>   ...
//           alloc %U: tensor<M x P x f32>   ...
//           alloc %V: tensor<M x Q x f32> over %T   ...
//
// A local is needed from its alloc to the last statement of the block that uses it, also through
// views; a loop, whether on threads or not, is one statement. Those of equal sizes share first, so
// that as little as can be is as large as the larger of two. What blocks inside the block need is
// theirs to their end, and not looked at here. What nothing uses gets none.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// `kernel` is at level hardware, for a CPU.
ir::Kernel shareMemory(ir::Kernel kernel);

}  // namespace einc::transforms
