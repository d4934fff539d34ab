// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Where a result is a position, and positions come in ascending order, it is enough to keep in which round it was taken: that
// has 32 bits, and vectors have the lanes of the values beside it.
//
//   before  op (b: reduction, n: parallel) ins(%X[b, n]) outs(%v[n], %p[n])
//               { select(or(gt(x, v), and(eq(x, v), lt(index(b * 32 + n), p))), x, v),
//                 select(or(gt(x, v), and(eq(x, v), lt(index(b * 32 + n), p))), index(b * 32 + n), p) }
//   after   op (n: parallel) ins(%p[n]) outs(%c[n]) { select(lt(index(n), p), -1, 0) }
//           op (b: reduction, n: parallel) ins(%X[b, n]) outs(%v[n], %c[n])
//               { select(or(gt(x, v), and(eq(x, v), lt(c, 0))), x, v),
//                 select(or(gt(x, v), and(eq(x, v), lt(c, 0))), cast<i32>(index(b + 1)), c) }
//           op (n: parallel) ins(%c[n]) outs(%p[n]) { select(lt(0, c), add(mul(sub(c, 1), 32), index(n)), p) }
//
// Here -1 stands for a position from before that is behind all of these, 0 for one in front of them. A position is moved, and
// compared with the one of the term; nothing else.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::transforms {

// The outputs, by number, that are positions whose terms ascend from one iteration to the next, and which begin with the
// highest or the lowest value. Reductions are loops in the op's order, but `axis` is the innermost of them.
std::vector<size_t> risingPositions(const Builder& builder, const ir::StructuredOp& op,
                                    const std::string& axis);

// What is done before, the op with `counters` in place of such an output, and what is done behind it. `block`: the op's one
// reduction, of less than 2^31 positions; its outputs are all indexed alike.
struct Counting {
  ir::StructuredOp before, op, behind;
};
Counting countPositions(const ir::StructuredOp& op, const std::string& block, size_t output,
                        const ir::Operand& counters);

}  // namespace einc::transforms
