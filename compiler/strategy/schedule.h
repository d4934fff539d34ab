// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done with each op of a kernel: first it is decided, as steps, then it is done.
//
//   op (m: parallel, n: parallel) ins(%A[m, n]) outs(%B[m, n]) { exp(a) }
//
//   op 0 {                              decide: by what kind of op it is, and how long ways of doing
//     tile n by 16                      it take on the target
//     vectorize (n: 16)
//   }
//
//   tile n0 : n0_size = 0 .. N by 16 parallel {                                            apply
//     view %A_n0 ...  view %B_n0 ...
//     op (m: parallel, n: parallel) ins(%A_n0[m, n]) outs(%B_n0[m, n]) { exp(a) } vector (n: 16)
//   }
#pragma once

#include <vector>

#include "compiler/strategy/decision.h"
#include "compiler/strategy/options.h"

namespace einc::strategy {

// `kernel` is at level buffers.
Decision decide(const ir::Kernel& kernel, const ScheduleOptions& options);

// The kernel at level tiled, as these parts say. Steps of the user's that cannot be done are added to
// `errors`, and their ops are left as they are.
ir::Kernel apply(const ir::Kernel& kernel, const std::vector<Part>& parts,
                 const ScheduleOptions& options, std::vector<SettingError>& errors);

}  // namespace einc::strategy
