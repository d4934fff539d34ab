// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An op with groups M, N and K (groups.h): on packed panels (panels.h); with fewer results the left
// operand is not packed (in_place.h), and with few of all nothing is (direct.h).
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/region.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/report.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

struct ContractionSteps {
  Steps steps;
  bool isAll = true;  // nothing is left to the model
};

// `op` is that of `ops` that sums; the others are done on its tiles (region.h). `names` are those of its
// operands. Settings come before the model; what is done and why goes to `report`.
ContractionSteps contractionSteps(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                  const std::vector<OperandName>& names,
                                  const std::vector<ir::StructuredOp>& ops, const Groups& groups,
                                  const ScheduleOptions& options, OpSettings& settings,
                                  OpReport& report);

}  // namespace einc::strategy
