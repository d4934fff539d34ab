// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A contraction with few rows whose columns have several iterators, without packing (direct.h): those
// iterators that the right operand and the output have as neighbours, in the same order and last, are
// one line, and the others of N are loops around.
//
//   op (a, b, y, x, f: parallel, k: reduction) ins(%A[b, k], %B[a, k, y, x, f]) outs(%C[a, b, y, x, f])
//
//   when b <= 48 and 16 <= y * x * f and contiguous(B, y * x * f) and contiguous(C, y * x * f) {
//     collapse y, x, f as y
//     tile a by 1
//     ...                                 the steps of C(b, y) += A(b, k) * B(k, y)
//   }
//
// So columns need no tables of offsets, and a right operand that few rows use is not packed.
//
// Refused: rows of several iterators, or known to be many; a right operand that is read outside its
// tensor, or whose last dimension is not the output's; lines known to be shorter than a vector.
#pragma once

#include "compiler/strategy/contractions/panels.h"

namespace einc::strategy {

Result<Form> onLines(const Contraction& contraction);

}  // namespace einc::strategy
