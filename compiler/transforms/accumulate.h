// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Reductions by a combiner that is no function of the payload, such as that of pairs (a value and where
// it stands): each lane has a result of its own, in memory, and at the end half of them are combined
// with the other half, until there is one.
//
//   before  op (n: reduction) ins(%X[n]) outs(%v[], %p[]) { ... } combine { ... } neutral (...)
//   after   alloc %lanes: tensor<32 x f32> in stack      and one of i64
//           op (n: parallel) outs(%lanes[n], %lanes1[n]) { neutral } vector (n: 32)
//           op (n_block: reduction, n: parallel) ins(%X_blocks[n_block, n])
//               outs(%lanes[n], %lanes1[n]) { ... } vector (n: 32)      positions are counted: count_positions.h
//           op (n: parallel) ins(%X_rest[n]) outs(%lanes[n], %lanes1[n]) { ... } vector (n: 32)
//           op (n: parallel) ins(lanes from 16 on) outs(lanes before 16) { combined } vector (n: 16)
//           ...                                          with 8, 4, 2 and 1 lanes
//           op () ins(lane 0) outs(%v[], %p[]) { combined }
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::transforms {

struct LanesOfSum {
  std::string axis;                // a reduction
  int64_t width;                   // a power of 2
  std::optional<ir::Ahead> ahead;  // along the axis: what is read is asked for
  bool masks;                      // what is left behind whole vectors is one that is cut off
  bool vectors = true;             // or loops of so many rounds, which compilers make vectors of
  int64_t mostCounted = int64_t{1} << 30;  // blocks, at a time (count_positions.h)
};

// The canonical `op` has reductions alone, which may be done in any order (partsOf in combiner.h).
ir::Block accumulateInLanes(Builder& builder, const ir::StructuredOp& op, const LanesOfSum& lanes);

}  // namespace einc::transforms
