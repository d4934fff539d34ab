// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Scalar loops, which do any op.
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> loops(const Task& task);

}  // namespace einc::strategy
