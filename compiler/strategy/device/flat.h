// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops in loops over the positions that they share, each by 1. What they write at a position and
// read again is kept in memory of the invocation's own, and what of it is no local tensor is stored
// at the end (schedule.h shows it).
#pragma once

#include "compiler/strategy/device/task.h"
#include "compiler/support/result.h"

namespace einc::strategy {

//   bind m to invocations
//   keep () of y on stack
//   fuse op 0 by { loops }
//   fuse op 1 by { loops }
Steps flatSteps(const Positions& at, int64_t mostPrivate);

// Each position is an invocation's.
Result<Form> flat(const DeviceTask& task);

// Of an op alone an invocation does four neighbours along the last iterator where they lie together.
//
//   when contiguous(X, n) and aligned(X, n, 16) and ... and n mod 4 == 0 {
//     bind m to invocations
//     bind n by 4 to invocations
//     vectorize (n: 4)
//   }
Result<Form> vectors(const DeviceTask& task);

// And along all of them, where all that there is lies together.
//
//   when 0 < m and 0 < n and contiguous(X, m * n) and aligned(X, m * n, 16) and ... and m * n mod 4 == 0 {
//     collapse m, n as m
//     bind m by 4 to invocations
//     vectorize (m: 4)
//   }
Result<Form> line(const DeviceTask& task);

}  // namespace einc::strategy
