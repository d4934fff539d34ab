// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Local results of ops without reductions are computed where they are read (inline.h), if each is read once, or next
// to nothing to compute: one quick operation for each element.
//
//   before  op (m: parallel, n: parallel) ins(%T[m, n], %b[n]) outs(%U[m, n]) { add(t, b) }
//           op (m: parallel, n: parallel) ins(%U[m, n]) outs(%Y[m, n]) { max(u, 0.0) }
//   after   op (m: parallel, n: parallel) ins(%T[m, n], %b[n]) outs(%Y[m, n]) { max(add(t, b), 0.0) }
//
// With `intoProducts` a product that packs both sides computes what it packs of several arguments: the local tensor of
// dequantised weights is gone.
//
//   before  op (k: parallel, n: parallel) ins(%Q[k, n], %s[n]) outs(%W[k, n]) { mul(cast<f32>(q), s) }
//           op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %W[k, n]) outs(%C[m, n]) { add(c, mul(a, w)) }
//   after   op (m: parallel, n: parallel, k: reduction) ins(%A[m, k], %Q[k, n], %s[n]) outs(%C[m, n])
//               { add(c, mul(a, mul(cast<f32>(q), s))) }
//
// A def that an external function computes stays as it is.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::strategy {

// `kernel` is at level tensors.
ir::Kernel inlineLocals(const ir::Kernel& kernel, bool intoProducts = false);

}  // namespace einc::strategy
