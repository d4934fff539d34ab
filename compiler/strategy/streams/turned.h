// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An input that lies along another iterator than the output, and is read again along others, is turned once, in memory:
//
//   op (h: parallel, e: parallel, d: parallel) ins(%A[d, h]) outs(%C[h, e, d]) { (a, c) -> a }
//
//   copy A (h, d) as turned_A { the copy's own form }
//   the best form where A has neighbours along d
//
// (Measured on Zen 4, us: u8, 80 x 80 for 80 others 148 to 17; f16, 16 x 24 x 24 for 24 others 121 to 14.)
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> turned(const Task& task, const Form& whole);

}  // namespace einc::strategy
