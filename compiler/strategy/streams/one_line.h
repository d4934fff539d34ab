// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Short lines that follow one another in all operands, as one line:
//
//   op (n: parallel, c: parallel) ins(%A[n, c], %B[n, c]) outs(%C[n, c]) { (a, b, c) -> add(a, b) }
//
//   when c <= 1024 and contiguous(A, n * c) and contiguous(B, n * c) and contiguous(C, n * c) {
//     collapse n, c as n
//     the best form of op (n: parallel) ins(%A_n[n], %B_n[n]) outs(%C_n[n])
//   } otherwise { the best form of lines }
//
// So are iterators of a sum, unless its order is kept.
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> oneLine(const Task& task, const Form& whole);

}  // namespace einc::strategy
