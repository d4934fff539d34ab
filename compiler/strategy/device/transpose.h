// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An op whose output lies in memory along another iterator than inputs of it: invocations that are
// neighbours cannot both read and write neighbours, and go through the workgroup's memory.
//
//   when contiguous(A, m) and contiguous(C, n) and 32 <= m and 32 <= n {
//     bind m by 32, n by 32 to workgroups                               others before, by 1
//     copy A (n, m) as A_transposed on workgroup (33) {
//       bind n over 4, m over 32 to invocations
//       loops
//     }
//     bind m over 4, n over 32 to invocations
//     loops
//   }
//
// A line of the tile has one element more than is used, so that columns are in different banks: G.
// Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA", NVIDIA 2009.
#pragma once

#include "compiler/strategy/device/task.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> squares(const DeviceTask& task);

}  // namespace einc::strategy
