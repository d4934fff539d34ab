// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What an op would compute again for other positions is computed once, in a local tensor: where squares are turned in
// registers (a line has it in one), functions that take long; and where all else needs fewer bits, what is cast to these.
//
//   before  op (d: parallel, w: parallel, e: parallel) ins(%A[e, w, d], %Q[e]) outs(%C[d, w, e])
//               { mul(a, rsqrt(add(q, 0.001))) }
//   after   op (e: parallel) ins(%Q[e]) outs(%once[e]) { rsqrt(add(q, 0.001)) }
//           op (d: parallel, w: parallel, e: parallel) ins(%A[e, w, d], %once[e]) outs(%C[d, w, e]) { mul(a, once) }
#pragma once

#include "compiler/ir/ir.h"

namespace einc::strategy {

// `kernel` is at level tensors.
ir::Kernel computeOnce(const ir::Kernel& kernel);

}  // namespace einc::strategy
