// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What was decided for a kernel on a target.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/report.h"
#include "compiler/strategy/settings.h"

namespace einc::strategy {

struct Decision {
  std::vector<OpReport> reports;     // one for each op, in order
  std::vector<SettingError> errors;  // settings that cannot be
  ir::Kernel tiled;  // strategies still build what they decide; apply() (schedule.h) hands it out
};

}  // namespace einc::strategy
