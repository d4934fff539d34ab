// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Of an op with a guard (ir/guard.h), at level tiled, what is outside is not done, and what is inside needs no
// test.
//
//   before  op (n: parallel) ins(%X[n]) outs(%Y[n])
//               { (x, y) -> select(lt(index(n0 + n), index(m0 + 1)), x, y) } vector (n: 16)
//   after   if 0 <= m0 - n0 {
//             if 0 <= m0 - n0 - 15 {
//               op (n: parallel) ins(%X[n]) outs(%Y[n]) { (x, y) -> x } vector (n: 16)
//             } else { op as before }
//           }
//
// An iterator that is no axis is cut: at its positions in front, where the guard holds for all others, there
// is no test, then come those with one, and what is behind is left out. Reductions keep their order.
//
// Where positions are compared with an element that is the same for all of a row, it is read before (read_elements.h), row by
// row; of rows that are lanes of one vector each position is tested:
//
//   before  op (m: parallel, n: reduction) ins(%X[m, n], %l[m]) outs(%Y[m])
//               { (x, l, y) -> add(y, select(lt(index(n), cast<i64>(l)), x, -0.0)) }
//   after   tile m0 = 0 .. M by 1 parallel {
//             read l_read = %l[m0]
//             bound end = min(N, l_read)
//             if 0 < end { op (n: reduction) ins(%X[m0, n]) outs(%Y[m0]) { (x, y) -> add(y, x) }, n below end }
//           }
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

ir::Kernel trim(ir::Kernel kernel);

}  // namespace einc::transforms
