// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which iterators of an op become digits (transforms/digits.h): those that are divided by a size, or
// by at least as much as a vector has lanes. There are neighbours along the lower digit then. A
// reduction only if its terms may come in another order.
#pragma once

#include <functional>
#include <optional>

#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

// What is to be done with a part of the op, of which `kernel` knows.
using OnPart = std::function<Steps(const ir::Kernel& kernel, const ir::StructuredOp& part)>;

// The op in digits, if it has some: the whole ones, and what is left of each.
std::optional<DigitsStep> inDigits(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                   const ScheduleOptions& options, const OnPart& whole,
                                   const OnPart& left);

}  // namespace einc::strategy
