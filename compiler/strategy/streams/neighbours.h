// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Iterators that are neighbours in all operands, as one, where the last of them has few positions. What lies together at the
// end of all is one line:
//
//   op (n: parallel, c: parallel) ins(%A[n, c], %B[n, c]) outs(%C[n, c]) { (a, b, c) -> add(a, b) }
//
//   when c <= 1024 and contiguous(A, n * c) and contiguous(B, n * c) and contiguous(C, n * c) {
//     collapse n, c as n
//     the best form of op (n: parallel) ins(%A_n[n], %B_n[n]) outs(%C_n[n])
//   } otherwise { the best form of lines }
//
// What lies together elsewhere, too, is even, so that squares are wide both ways:
//
//   op (c: parallel, h: parallel, w: parallel) ins(%A[h, w, c]) outs(%C[c, h, w]) { (a, c) -> a }
//
//   when w <= 1024 and even(A, h * w) and contiguous(A, c) and contiguous(C, h * w) {
//     collapse h, w as h
//     the best form of op (c: parallel, h: parallel) ins(%A_h[h, c]) outs(%C_h[c, h])
//   } otherwise { ... }
//
// So are iterators of a sum, unless its order is kept; of several a payload may compute with where they are in the line,
// n * C + c, alone. (Measured on Zen 5, argmax of 4 x 176 x 176 f32 and 4 x 672 x 24 f64, with such positions: 3.1 and 3.7
// times as fast as line by line.)
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> neighbours(const Task& task, const Form& whole);

}  // namespace einc::strategy
