// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A variable of a sum starts from its first term, where that is known, and not from what changes nothing.
//
//   before  let y: f32 over (n) = -inf_f32            after   let x: f32 over (n) = %X[0, n] unit n
//           let x: f32 over (n) = %X[0, n] unit n             let y: f32 over (n) = x
//           y = max(y, x)                                     let w: f32 over (n) = %X[1, n] unit n
//           let w: f32 over (n) = %X[1, n] unit n             y = max(y, w)
//           y = max(y, w)
//
// Compilers see that -0.0 + x is x, but not what max of floats, which keeps NaN, makes of an infinity. (Measured on Zen 4,
// the largest of each column, us: 368 x 352 10.0 to 5.4, 1440 x 1440 169 to 113.)
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// `block` is at level hardware. It changes no value.
void beginWithFirstTerms(ir::Block& block);

}  // namespace einc::transforms
