// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Memory in the heap that each round of a loop takes again is taken once, before the loop. Rounds
// on threads keep what is theirs; bounds that its size is made of stand before these, too. (What these divide by may be 0
// where a condition does not hold that was around them: there it is 1.)
//
//   before  tile d0 : d0_size = 0 .. D by 1 parallel {
//             bound kc = min(K, 512)
//             alloc %T: tensor<24 x kc x f32>
//             op ... outs(%T[m, n]) ...
//           }
//   after   bound kc = min(K, 512)
//           alloc %T: tensor<24 x kc x f32>
//           tile d0 : d0_size = 0 .. D by 1 parallel { op ... outs(%T[m, n]) ... }
//
// What one way of a choice takes stays there: ways that are not taken need no memory, and those that are taken one after the
// other need as much as the one that needs most.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// `kernel` is tiled and canonical. What is moved has sizes that are the same in all rounds; the rest stays.
void hoistAllocs(ir::Kernel& kernel);

}  // namespace einc::transforms
