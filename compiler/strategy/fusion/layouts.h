// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Sums lie as what they are made of: where the largest of an op's inputs has neighbours along another iterator than what
// it writes, vectors along either would be gathered, or scattered, once for each term.
//
//   before  op (d: parallel, w: parallel) outs(%C[d, w]) { (c) -> -inf }
//           op (d: parallel, w: parallel, e: reduction) ins(%A[e, w, d]) outs(%C[d, w]) { max(c, a) }
//   after   op (w: parallel, d: parallel) outs(%turned_C[w, d]) { (c) -> -inf }
//           op (w: parallel, d: parallel, e: reduction) ins(%A[e, w, d]) outs(%turned_C[w, d]) { max(c, a) }
//           op (d: parallel, w: parallel) ins(%turned_C[w, d]) outs(%C[d, w]) { (c) -> c }
//
// A local tensor itself lies otherwise then. An output that keeps what is there is copied before, too. Of windows
// an estimate says along what they lie (window_line.h): then they may read a copy of the input, which has what they see, or a
// little more, as here. So do windows along a line that see what is outside.
//
//   before  op (w, h, kh: reduction, kw: reduction) ins(%A[h + kh, w + kw]) outs(%C[w, h]) { ... }
//   after   op (w_, h_) ins(%A[h_, w_] pad 0) outs(%turned_A[w_, h_]) { (a) -> a }
//           op (w, h, kh: reduction, kw: reduction) ins(%turned_A[w + kw, h + kh]) outs(%C[w, h]) { ... }
//
// Filters lie along the vectors of their windows; what is summed together lies as the largest of it; of maps whose inputs lie
// otherwise than the output in several ways, all but one are turned before, in the blocks that they share with the map:
//
//   before  op (m, n, k) ins(%A[k, m, n], %B[n, k, m]) outs(%C[m, n, k]) { add(a, b) }
//   after   op (d2, d0, d1) ins(%B[d0, d1, d2]) outs(%turned_B[d2, d0, d1]) { (b) -> b }
//           op (m, n, k) ins(%A[k, m, n], %turned_B[m, n, k]) outs(%C[m, n, k]) { add(a, b) }
//
// Contractions are not among them: these pack what they read (what they write lies as a sum asks that adds to it, too).
// Nor are copied inputs of which windows leave out much. That dimensions lie in the order of the shape is what is
// assumed here; with other strides the results are the same.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::strategy {

// `kernel` is at level tensors. `keepsOrder`: terms are added in the order of the spec. `vectorBytes`: of the target.
ir::Kernel layOut(const ir::Kernel& kernel, bool keepsOrder, int vectorBytes);

}  // namespace einc::strategy
