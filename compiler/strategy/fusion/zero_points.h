// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Products of integers, of which each is less a zero point that is the same for all terms of a sum, as codes have them for
// each row or column: the sum of the products alone is a contraction, and so one for which targets have instructions.
//
//   before  op (m: parallel, n: parallel) outs(%C[m, n]) { (c) -> 0_i32 }
//           op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n], %z[n]) outs(%C[m, n])
//               { (a, b, z, c) -> add(c, mul(cast<i32>(a), sub(cast<i32>(b), z))) }
//   after   op (m: parallel) outs(%sums[m]) { (s) -> 0_i32 }
//           op (m: parallel, k: reduction) ins(%A[m, k]) outs(%sums[m]) { (a, s) -> add(s, cast<i32>(a)) }
//           op (m: parallel, n: parallel) ins(%z[n], %sums[m]) outs(%C[m, n]) { (z, s, c) -> neg(mul(z, s)) }
//           op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])
//               { (a, b, c) -> add(c, mul(cast<i32>(a), cast<i32>(b))) }
//
// That is exact, as sums of integers wrap. Zero points that are numbers or attributes stay where they are: sums for these
// are made of what is packed (strategy/instructions.h). Those that change within a sum, as of groups along K, stay, too.
//
// What is subtracted, and what has no start that could take the zero points, is summed in a local tensor first.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::strategy {

// `kernel` is at level tensors, and locals that are read once are gone (locals.h).
ir::Kernel takeOutZeroPoints(const ir::Kernel& kernel);

}  // namespace einc::strategy
