// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which iterators of an op become digits (transforms/digits.h).
#pragma once

#include <vector>

#include "compiler/strategy/options.h"
#include "compiler/transforms/digits.h"

namespace einc::strategy {

// Those that are divided by a size, or by at least as much as a vector has lanes: there are neighbours along the lower digit
// then. A reduction only if its terms may come in another order.
std::vector<transforms::Digit> digitsOf(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                        const ScheduleOptions& options);

// splitDigits where no base is zero; elsewhere the op has no elements, as it has been checked.
ir::Block guardedDigits(transforms::Builder& builder, const ir::StructuredOp& op,
                        const std::vector<transforms::Digit>& digits,
                        const transforms::OnDigits& whole, const transforms::OnDigits& left);

}  // namespace einc::strategy
