// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What does not change in a loop, and takes long, is computed once before it. The C compiler may
// not: it does not know that a store leaves other tensors as they are, and that sqrt sets no errno
// that anybody reads.
//
//   before  for n = 0 .. N parallel { %Y[m, n] = mul(%X[m, n], rsqrt(add(%S[m], epsilon))) }
//   after   let kept: f32 = rsqrt(add(%S[m] pad 0.0_f32, epsilon))
//           for n = 0 .. N parallel { %Y[m, n] = mul(%X[m, n], kept) }
//
// Scalars, those in regions of vectors among them, and of a loop around such a region vectors, too:
//
//   before  for w = 0 .. W parallel { vector (c: 8) { %Y[w, c] = mul(%X[w, c], rsqrt(%V[c])) } }
//   after   if 0 < W {
//             vector (c: 8) {
//               let kept: f32 over (c) = rsqrt(%V[c] pad 0.0_f32)
//               for w = 0 .. W parallel { %Y[w, c] = mul(%X[w, c], kept) }
//             }
//           }
//
// None comes from under a condition, but for two: whether a tile is whole, and whether a loop has
// rounds. Where a loop has none, elements that it would read need not exist: such a load gets a pad,
// and is asked for in the tensor, not in a view of it. Functions have values for all operands, so
// that nothing else can go wrong.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// Whether a value calls a function that is slow (ir/functions.def).
bool takesLong(const ir::ValueRef& value);

// `kernel` is at level hardware, for a CPU.
ir::Kernel hoistValues(ir::Kernel kernel);

}  // namespace einc::transforms
