// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done with each op of a kernel, by what kind of op it is (DESIGN §4).
#pragma once

#include "compiler/strategy/decision.h"
#include "compiler/strategy/options.h"

namespace einc::strategy {

// `kernel` is at level buffers.
Decision decide(const ir::Kernel& kernel, const ScheduleOptions& options);

// The kernel at level tiled, as it was decided.
ir::Kernel apply(Decision decision);

}  // namespace einc::strategy
