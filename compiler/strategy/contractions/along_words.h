// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A product of a few rows, or columns, with many of the other, both contiguous along its terms, of which an instruction adds
// several at once: nothing is packed, vectors lie along the terms (streams/words_along.h).
//
//   op (m, n: parallel, k: reduction) ins(%A[m, k], %B[n, k]) outs(%C[m, n])              i8, i8, i32
//
//   when m <= 8 and contiguous(A, k) and contiguous(B, k) {
//     tile n by 4
//     when n == 4 {
//       tile m by 4
//       when m == 4 {
//         results (m: 4, n: 4) { ... words A along k for vpdpbusd ... vectorize (m: 4, n: 4, k: 16) ... }
//         ...
//
// Refused: groups of several iterators, inputs that are contiguous along others.
#pragma once

#include "compiler/strategy/contractions/panels.h"

namespace einc::strategy {

Result<Form> alongWords(const Contraction& contraction);

}  // namespace einc::strategy
