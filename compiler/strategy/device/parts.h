// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Reductions in two steps, parts first and then the sums of the parts, where an invocation or a
// workgroup for each position would leave most of a device idle.
//
//   let parts_count = min(1024 floordiv M + 1, 1024, N floordiv 256)
//   let parts_width = N floordiv parts_count
//   parts n by parts_width as n_part together {   what their memory starts from, and parts
//     bind n_part to workgroups ...
//   } combine {                                   the sums of the parts, and what is behind them
//     bind m by 4 to workgroups ...
//   }
#pragma once

#include "compiler/strategy/device/task.h"
#include "compiler/support/result.h"

namespace einc::strategy {

// Few positions with much to do at each. Invocations share the terms of a part.
Result<Form> partsOfFew(const DeviceTask& task);
// More positions, but where what is added up is apart in memory, so that an invocation is to go
// along it alone, beside others that read its neighbours.
Result<Form> partsAcross(const DeviceTask& task);

}  // namespace einc::strategy
