// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An op with groups M, N and K (groups.h): on packed panels (panels.h); with fewer results the left
// operand is not packed (in_place.h), and with few of all nothing is (direct.h).
#pragma once

#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/form.h"
#include "compiler/strategy/groups.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> contraction(const Task& task);

// Ops that are done together, of which the first has that number in the kernel.
struct Together {
  std::vector<ir::StructuredOp> ops;
  size_t first = 0;
};

// `task.op` is that of them that sums; the others are done on its tiles (region.h).
Form contractionOf(const Task& task, const Together& together, const Groups& groups);

}  // namespace einc::strategy
