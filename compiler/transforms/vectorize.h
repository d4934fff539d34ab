// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Structured ops that have axes become Vector regions.
//
//   before  op (m: parallel, n: parallel, k: reduction) ins(%A[k, m], %B[k, n]) outs(%C[m, n])
//               { (a, b, c) -> add(c, mul(a, b)) } vector (m: 8, n: 48)
//   after   vector (m: 8, n: 48) {
//             let c: f32 over (m, n) = -0.0
//             for k = 0 .. K reduction {
//               let a: f32 over (m) = %A[k, m] unit m
//               let b: f32 over (n) = %B[k, n] unit n
//               c = add(c, mul(a, b))
//             }
//             c = add(%C[m, n] unit n, c)
//             %C[m, n] unit n = c
//           }
//
// What is there is read of all positions before any is written, unless rows may end before their axis does: then one
// test is for both.
//
// `ahead n 64` asks for what inputs have so far along n before each read; where reductions are unrolled, once, at the
// beginning, for what the last of their terms reads, and `early` for outputs there, too.
//
// Parallel iterators that are no axes become loops around the region, reductions loops inside it.
// What is known is taken from the conditions of the Ifs around the op: where an iterator may end
// before its axis does (nothing says that its extent is the axis's size), reads get a pad and
// writes are clipped; `unit` is set where a condition says so, and on local tensors, which are
// row-major. Across a reduction iterator that is an axis the payload's outermost function is applied
// with `reduce`; where the iterator may end before its axis does, the lanes behind its end add that
// function's neutral element.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// Up to how many terms a sum that is known to be short begins with what is there, rather than to add it
// at the end: at most `terms`, or `nearTerms` where its outputs fit into `near` bytes of cache. (What is
// near need not have come before the sum begins; what is far is asked for so, and what is read with masks
// would be read twice.)
struct ShortSums {
  int64_t terms, nearTerms, near;
};

// `kernel` is tiled; the result is at level vector: ops without axes have become scalar loops. With
// `keepsOrder` a sum starts from the old value of its output, as written, and not from the neutral
// element, unless it is along an axis; so does a sum that is kept in registers.
// With `negatesMaxima` the greatest of floats is found as the least of what is negated, where it starts from
// -inf: o = max(o, a) is o = min(o, neg(a)), and neg(o) at the end. Which NaN it is may differ.
ir::Kernel vectorize(const ir::Kernel& kernel, const ShortSums& shortSums, bool keepsOrder = false,
                     bool negatesMaxima = false);

}  // namespace einc::transforms
