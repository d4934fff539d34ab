// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// When an output is so large that it goes around the caches.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

// What has to hold: there are elements, and more than the last cache holds. Nothing where the output
// should stay in the caches at any size: it is read, too, here or by another op of the kernel, it is
// known to be small, or a vector of it has few bytes.
std::optional<std::vector<Test>> whereLarge(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                            const ScheduleOptions& options);

}  // namespace einc::strategy
