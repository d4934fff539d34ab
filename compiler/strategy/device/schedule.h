// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done with each op of a kernel on a device. Ops that share all their parallel iterators (fused
// ones, and neighbours) are one region, which is one nest of loops: decide.h says in steps what is done
// with it.
//
//   contraction  tiles in the memory of a workgroup, sums in registers (tiles.h)
//   rows         the invocations of a workgroup share the work of a position (rows.h)
//   flat         each position is an invocation's; in tiles where what is read and what is written
//                lie along different iterators (transpose.h)
//
// and reductions at few positions are in parts (parts.h). What stands in loops on workgroups already is shared out among the
// invocations of one (in_group.h).
//
//   before  op (m: parallel) outs(%y[m]) { 0.0 }
//           op (m: parallel, n: reduction) ins(%X[m, n]) outs(%y[m]) { add(y, x) }
//   after   tile m0 : m0_size = 0 .. M by 1 parallel {                                      flat
//             alloc %y_private: tensor<f32> in stack
//             op () outs(%y_private[]) { 0.0 }
//             op (n: reduction) ins(%X_m0[n]) outs(%y_private[]) { add(y, x) }
//             op () ins(%y_private[]) outs(%y_m0[]) { y_private }
//           }
#pragma once

#include "compiler/ir/ir.h"
#include "compiler/strategy/decision.h"
#include "compiler/strategy/options.h"

namespace einc::strategy {

// As decide() in strategy/schedule.h, which calls it where the target is a device.
Decision decideForDevice(const ir::Kernel& kernel, const ScheduleOptions& options);

}  // namespace einc::strategy
