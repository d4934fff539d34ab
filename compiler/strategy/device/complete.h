// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Half a schedule for a device becomes a whole one: where the user's steps leave all of a product, that is done
// as where it has few rows or columns. Other loops an invocation does in order.
//
//   before  when 64 < m { <tiles> }
//   after   when 64 < m { <tiles> } otherwise { collapse m, n as i bind i to invocations }
#pragma once

#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/shared_iterators.h"

namespace einc::strategy {

// The steps for these ops, of which the first has the number `first` in the kernel. They stay as they are if
// one of them cannot be done.
Steps completedOnDevice(const ir::Kernel& kernel, const Ops& ops, size_t first, const Steps& steps,
                        const ScheduleOptions& options);

}  // namespace einc::strategy
