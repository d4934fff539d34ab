// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Regions one after the other that add to the same elements become one, with one sum:
//
//   before  vector (n: 64) {                         after  vector (n: 64) {
//             let y: f32 over (n) = -0.0                      let y: f32 over (n) = -0.0
//             for b = 0 .. B reduction { y = ... }            for b = 0 .. B reduction { y = ... }
//             %Y[] = add(%Y[], reduce add over n (y))
//           }
//           vector (n: 64) {
//             let z: f32 over (n) = -0.0
//             z = add(z, x)                                   y = add(y, x)
//             %Y[] = add(%Y[], reduce add over n (z))         %Y[] = add(%Y[], reduce add over n (y))
//           }                                               }
//
// So the lanes are combined once, for whole vectors and for what is left behind them. Only views may
// stand in between, and the second sum's terms may not read what the first one has stored.
#pragma once

#include "compiler/facts/facts.h"
#include "compiler/ir/ir.h"

namespace einc::transforms {

// `block` is at level vector; blocks inside of it are left as they are. `facts` knows its views, and
// those around it.
void joinSums(ir::Block& block, const facts::Facts& facts);

}  // namespace einc::transforms
