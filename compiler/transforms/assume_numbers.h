// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Loops that compute max and min of floats are first run as if there were no NaN, on targets where
// that is one instruction and what the spec asks for (NaN if either is) is several.
//
//   before  let c: f32 over (n) = -inf_f32          after  let c: f32 over (n) = -inf_f32
//           for k = 0 .. K reduction {                     assume_numbers {
//             c = max(c, add(a, b))                          for k = 0 .. K reduction {
//           }                                                  let t: f32 over (n) = add(a, b)
//                                                              check_numbers (t)
//                                                              c = max(c, t)
//                                                            }
//                                                          } else {
//                                                            c = -inf_f32
//                                                            for k = 0 .. K reduction { ... }
//                                                          }
//
// What max and min are computed of is checked, but what they gave themselves; two values at a time,
// as one comparison tells of two. So is x where x != x or x == x is asked, as in payloads that say themselves what becomes of
// NaN: there the answers are known then:
//
//   before  let x: f32 over (n) = %X[k, n]              after (the quick way)  let x: f32 over (n) = %X[k, n]
//           c = select(or(gt(x, c), and(ne(x, x), eq(c, c))), x, c)            check_numbers (x)
//                                                                              c = select(gt(x, c), x, c)
//
// Loops of reductions in vector regions, that store nothing and whose variables' first values are known. No value changes.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// Whether the value has a max or min of floats, or asks whether one is a number.
bool asksForNumbers(const ir::ValueRef& value);

// `kernel` is at hardware level.
ir::Kernel assumeNumbers(ir::Kernel kernel);

}  // namespace einc::transforms
