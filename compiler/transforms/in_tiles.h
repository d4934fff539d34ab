// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Several ops tile by tile of the last one's results: what one leaves for the next is as much as a tile needs, however much it
// is in all. What two tiles need is computed twice.
//
//   before  op (y) outs(%A[y]) { 0.0 }                                                             local %A: 2 * H + KH
//           op (y, c: reduction) ins(%I[y, c]) outs(%A[y]) { add(a, i) }
//           op (h) outs(%O[h]) { -inf }
//           op (h, kh: reduction) ins(%A[2 * h + kh]) outs(%O[h]) { max(o, a) }
//   after   tile h0 : h0_size = 0 .. H by 8 parallel {                                             local %A: 2 * 7 + KH
//             view %A_here: 2 * (h0_size - 1) + KH = (d0) -> %A[d0]
//             view %I_here: 2 * (h0_size - 1) + KH x C = (d0, d1) -> %I[2 * h0 + d0, d1]
//             view %O_here: h0_size = (d0) -> %O[h0 + d0]
//             op (y) outs(%A_here[y]) { 0.0 }
//             op (y, c: reduction) ins(%I_here[y, c]) outs(%A_here[y]) { add(a, i) }
//             op (h) outs(%O_here[h]) { -inf }
//             op (h, kh: reduction) ins(%A_here[2 * h + kh]) outs(%O_here[h]) { max(o, a) }
//           }
//
// Where windows reach over an edge, a tile begins and ends there; positions over the edge are not computed, as before.
// Where something has to be assumed (that a step is not negative), or there may be room for all, ops that are one behind the
// other stand beside the tiles.
#pragma once

#include "compiler/transforms/builder.h"
#include "compiler/transforms/tile_needs.h"

namespace einc::transforms {

// needsOf() has been there.
ir::Block inTiles(Builder& builder, const Tiles& tiles);

}  // namespace einc::transforms
