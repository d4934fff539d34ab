// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Structured ops to loops: the op's iterators in order, but the reductions innermost, with what is
// accumulated in scalar variables around them.
//
//   before  op (m: parallel, n: parallel, k: reduction)                      level buffers
//               ins(%A[m, k], %B[k, n]) outs(%C[m, n]) { (a, b, c) -> add(c, mul(a, b)) }
//   after   for m = 0 .. M parallel {                                        level hardware
//             for n = 0 .. N parallel {
//               let c = %C[m, n]
//               for k = 0 .. K reduction {
//                 c = add(c, mul(%A[m, k], %B[k, n]))
//               }
//               %C[m, n] = c
//             }
//           }
//
// A reduction over nothing therefore stores the value it loaded. Several outputs are computed from
// the values before the update, and updated together. Loop variables keep the iterators' names.
#pragma once

#include "compiler/ir/ir.h"
#include "compiler/ir/unique_names.h"

namespace einc::transforms {

// One op. `names` are those of the block that gets the variables.
ir::Block lowerOp(const ir::Kernel& kernel, const ir::StructuredOp& op, ir::UniqueNames& names);

// `kernel` is on buffers; the result is at hardware level.
ir::Kernel lower(const ir::Kernel& kernel);

}  // namespace einc::transforms
