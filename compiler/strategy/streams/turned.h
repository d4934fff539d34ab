// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An input that lies along another iterator than the output, and is read again along others, is turned once, in memory:
//
//   op (h: parallel, e: parallel, d: parallel) ins(%A[d, h]) outs(%C[h, e, d]) { (a, c) -> a }
//
//   when 4 <= e and contiguous(A, h) and contiguous(C, d) {
//     copy A (h, d) as turned_A { the copy's own form }
//     the best form where A has neighbours along d
//   } otherwise { the best form as it lies }
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> turned(const Task& task, const Form& whole);

}  // namespace einc::strategy
