// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Memory in the heap that each round of a loop takes again is taken once, before the loop. Rounds
// on threads keep what is theirs.
//
//   before  tile d0 : d0_size = 0 .. D by 1 parallel {
//             if unit %A[1] { alloc %T: tensor<24 x 20 x f32>  op ... outs(%T[m, n]) ... }
//           }
//   after   alloc %T: tensor<24 x 20 x f32>
//           tile d0 : d0_size = 0 .. D by 1 parallel {
//             if unit %A[1] { op ... outs(%T[m, n]) ... }
//           }
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// `kernel` is tiled and canonical. What is moved has sizes that are constants; the rest stays.
void hoistAllocs(ir::Kernel& kernel);

}  // namespace einc::transforms
