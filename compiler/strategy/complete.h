// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Half a schedule becomes a whole one: what the user's steps leave of ops gets the steps of the best form for
// it. Nothing is built (plan/completion.h).
//
//   before  tile m by 8
//   after   tile m by 8 alone { tile n by 16 vectorize (m: 8, n: 16) ... }
#pragma once

#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/shared_iterators.h"

namespace einc::strategy {

// The steps for these ops, of which the first has the number `first` in the kernel. They stay as they are if
// one of them cannot be done.
Steps completed(const ir::Kernel& kernel, const Ops& ops, size_t first, const Steps& steps,
                const ScheduleOptions& options);

}  // namespace einc::strategy
