// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Tiles of several ops that are worth it for some sizes alone, as a schedule has them: when 524288 <= N * 4 { tile n by 4096 }
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/support/result.h"

namespace einc::strategy {

// The tiles as they are, if nothing is asked.
Steps onlyWhere(const std::vector<ir::Condition>& where, Steps tiles, const std::string& why);

// What the steps ask, and the tiles in them; or why they cannot.
struct AskedTiles {
  std::vector<ir::Condition> where;
  Steps tiles;
};
Result<AskedTiles> askedTiles(const ir::Kernel& kernel, const Steps& steps);

}  // namespace einc::strategy
