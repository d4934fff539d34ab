// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Maxima (and minima) in several registers have terms in common, which are compared once: windows beside each other see the
// same elements. Here of windows of three, w and w + 1:
//
//   before  for k = 0 .. 3 reduction unrolled {       after  for k = 0 .. 1 reduction {
//             let a_0: f32 over (c) = %A[0 + k, c]             let t: f32 over (c) = %A[0, c]
//             o_0 = max(o_0, a_0)                              let t1: f32 over (c) = %A[1, c]
//             let a_1: f32 over (c) = %A[1 + k, c]             let t2: f32 over (c) = %A[2, c]
//             o_1 = max(o_1, a_1)                              let both: f32 over (c) = max(t1, t2)
//           }                                                  o_0 = max(o_0, t)
//                                                              o_0 = max(o_0, both)
//                                                              let t3: f32 over (c) = %A[3, c]
//                                                              o_1 = max(o_1, t3)
//                                                              o_1 = max(o_1, both)
//                                                            }
//
// The two terms that most of them have become one, and so on, until no two are in two of them: for windows of 3 x 3, two rows
// of four, 64 comparisons become 33. Of floats. No value changes.
#pragma once

#include "compiler/facts/facts.h"
#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::transforms {

// In a region at hardware level, each of whose registers has a name. `facts`: what holds there.
void shareTerms(Builder& builder, ir::Vector& region, const facts::Facts& facts);

}  // namespace einc::transforms
