// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The beginnings of a list of steps, each with one step more than the one before: what is left
// becomes scalar loops, so that each is a whole kernel, which can be run.
//
//   tile n by 16            ->  tile n by 16
//   when n == 16 {              when n == 16 { } otherwise { }
//     vectorize (n: 16)         when n == 16 { vectorize (n: 16) } otherwise { }
//   } otherwise { loops }       ...
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

struct Prefix {
  Steps steps;
  Step last;  // without what stands in its own lists
};

// In the order of the text; the last has all steps.
std::vector<Prefix> prefixesOf(const Steps& steps);

// The kernel, which is at level buffers, at level tiled: an op, by its number, or so many that are done
// together from it on, by these steps, and all others as scalar loops. Nothing if the steps are refused: some can only stand before others.
std::optional<ir::Kernel> withSteps(const ir::Kernel& kernel, size_t op, const Steps& steps,
                                    const ScheduleOptions& options, size_t count = 1);

}  // namespace einc::strategy
