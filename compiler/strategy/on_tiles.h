// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A sum with others on its tiles of results (plan/region.h): what the tiles start from, and ops that read them.
//
//   fuse op 0               op (n, oh, ow, c) outs(%T[n, oh, ow, c]) { 0.0 }
//   fuse op 2               op (n, oh, ow, c) ins(%T[n, oh, ow, c], %b[c]) outs(%O[n, oh, ow, c]) { max(t + b, 0.0) }
//   tile n by 1 ...         the windows of op 1
//   vectorize (ow: 4, c: 16)
#pragma once

#include "compiler/ir/ir.h"
#include "compiler/strategy/contractions/contraction.h"
#include "compiler/strategy/form.h"

namespace einc::strategy {

// The sum is that of `together.ops` with the number `sum`.
using OnTiles = Form (*)(const ir::Kernel& kernel, const Together& together, size_t sum,
                         const ScheduleOptions& options, OpSettings& settings);

// Of a contraction. Where it is done in parts for threads, the others are done by themselves.
Form onContraction(const ir::Kernel& kernel, const Together& together, size_t sum,
                   const ScheduleOptions& options, OpSettings& settings);

// Of windows.
Form onWindows(const ir::Kernel& kernel, const Together& together, size_t sum,
               const ScheduleOptions& options, OpSettings& settings);

// An op of a region in a form of its own.
Step fusedBy(size_t number, Steps steps);

}  // namespace einc::strategy
