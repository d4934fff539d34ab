// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Short rows that are summed up, or combined, each to a result: vectors along these instead of along the rows, whose elements
// are read one by one.
//
//   op (h: parallel, d: reduction) ins(%A[h, d]) outs(%C[h], %I[h]) { the largest, and where it is }
//
//   when d <= 64 and 16 <= h { tile h by 32 ... vectorize (h: 32) } otherwise { the best form along 'd' }
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> shortRows(const Task& task, const Form& whole);

}  // namespace einc::strategy
