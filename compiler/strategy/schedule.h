// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done with each op of a kernel, by what kind of op it is (DESIGN §4): the pass from level
// buffers to level tiled.
#pragma once

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/report.h"

namespace einc::strategy {

// `reports` gets one entry for each op, in order, `errors` the settings that cannot be, if they are
// given.
ir::Kernel schedule(const ir::Kernel& kernel, const ScheduleOptions& options,
                    std::vector<OpReport>* reports = nullptr,
                    std::vector<SettingError>* errors = nullptr);

}  // namespace einc::strategy
