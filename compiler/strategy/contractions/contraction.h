// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An op with groups M, N and K (groups.h): on packed panels (panels.h); with fewer results the left
// operand is not packed (in_place.h), and with few of all nothing is (direct.h).
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/model.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/region.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/report.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// What is said of it.
void note(const Groups& groups, const ContractionTiles& tiles, OpReport& report);

struct ContractionSteps {
  Steps steps;
  std::vector<std::string> lines;  // for `einc explain`
};

// `op` is that of `ops` that sums; the others are done on its tiles (region.h).
ContractionSteps contractionSteps(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                  const std::vector<ir::StructuredOp>& ops, Groups groups,
                                  const ContractionTiles& tiles, const ScheduleOptions& options);

}  // namespace einc::strategy
