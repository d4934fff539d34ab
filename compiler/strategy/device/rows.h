// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that share positions, on each of which much is done: the invocations of a workgroup share the
// work of a position, or of several, `lanes` to each (plan/verbs/lanes.h shows the IR).
//
//   ops    op (m: parallel) outs(%y[m]) { 0.0 }
//          op (m: parallel, n: reduction) ins(%X[m, n]) outs(%y[m]) { add(y, x) }
//   steps  bind m by 4 to workgroups
//          keep (m: 4) of y in workgroup
//          fuse op 0 by { loops }
//          fuse op 1 by { lanes n over 32 loops }
#pragma once

#include "compiler/strategy/device/task.h"
#include "compiler/support/result.h"

namespace einc::strategy {

// Whether each reduction may be done in parts; `keepsOrder` of floating-point sums.
bool mayShareRows(const Ops& ops, bool keepsOrder);

// Fewer rows, then fewer lanes, until what the ops keep and exchange fits in a workgroup's memory.
DeviceRows thatFit(DeviceRows rows, const ir::Kernel& kernel, const Ops& ops, int64_t sharedBytes);

Steps rowSteps(const Positions& at, const DeviceRows& rows);

// Where there is more to do at each position than a few steps.
Result<Form> rows(const DeviceTask& task);
// All invocations of a workgroup for each position, where one may not do as much.
Result<Form> groups(const DeviceTask& task);

}  // namespace einc::strategy
