// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that share positions, on each of which much is done: the invocations of a workgroup share the
// work of a position, or of several, `lanes` to each.
//
//   before  op (m: parallel) outs(%y[m]) { 0.0 }
//           op (m: parallel, n: reduction) ins(%X[m, n]) outs(%y[m]) { add(y, x) }
//   after   tile m0 : m0_size = 0 .. M by 4 parallel {              rows, 4 of 32 lanes here
//             alloc %y_rows: tensor<4 x f32> in workgroup
//             op (m: parallel) outs(%y_rows[m]) { 0.0 }
//             alloc %parts: tensor<4 x 32 x f32> in workgroup
//             tile r by 1 parallel { tile t by 1 parallel {         an invocation each
//               op () outs(%parts[r, t]) { -0.0 }
//               op (n: reduction) ins(%X[m0 + r, t + n * 32]) outs(%parts[r, t]) { add(p, x) }
//             } }
//             tile r, tile t = 0 .. 16 by 1 parallel { op () %parts[r, t] += %parts[r, t + 16] }
//             ... 8, 4, 2, 1                                        a tree
//             op (m: parallel) ins(%parts[m, 0]) outs(%y_rows[m]) { add(y, p) }
//             op (m: parallel) ins(%y_rows[m]) outs(%y_m0[m]) { y_rows }
//           }
//
// Neighbours along the reduction go to neighbouring lanes, so that a row is read as it lies. A
// reduction by a combiner, such as that of argmax, has an array of parts for each output; one loop
// of the tree combines a lane of all of them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/strategy/fusion/shared_loops.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

struct DeviceRows {
  int64_t rows, lanes;  // of a workgroup; powers of two
};

// Whether each reduction may be done in parts; `keepsOrder` of floating-point sums.
bool mayShareRows(const Ops& ops, bool keepsOrder);

// Fewer rows, then fewer lanes, until what the ops keep and exchange fits in a workgroup's memory.
DeviceRows thatFit(DeviceRows rows, const ir::Kernel& kernel, const Ops& ops, int64_t sharedBytes);

// `shared` and `others` as for flat().
ir::Block onRows(transforms::Builder& builder, const Ops& ops,
                 const std::vector<std::vector<std::string>>& shared,
                 const std::set<unsigned>& others, const DeviceRows& rows);

}  // namespace einc::strategy
