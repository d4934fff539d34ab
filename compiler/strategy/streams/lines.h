// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Scalar loops in an order that lets a C compiler make vectors of them, for targets of which no
// vectors are known. The innermost loop is along a line: an iterator along which all that moves is
// contiguous, and in which each position is on its own.
//
//   C(m, n) += A(m, k) * B(k, n)              y(m) += A(m, k)
//
//   when contiguous(B, n) and ... {           when contiguous(A, k) and 64 <= k {
//     tile k by 256                             tile m by 1
//     tile n by 128                             accumulate (k: 16)      16 sums, beside each other
//     tile m by 1                             } otherwise {
//     tile k by 4                               loops
//     when k == 4 { loops } otherwise {       }
//       when k == 3 { loops } otherwise {
//         tile k by 1
//         loops
//       }
//     }
//   } otherwise { loops }
//
// Other ops are loops in the order of the spec: maps whose innermost loop is along a line already, sums that are
// the same in any order (compilers turn these themselves), and what is asked at each element whether it is outside.
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> lines(const Task& task);

}  // namespace einc::strategy
