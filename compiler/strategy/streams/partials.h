// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Reductions by a combiner that is no function of the payload, such as that of pairs (a value and where it stands): each lane
// has a result of its own, and at the end half of them are combined with the other half, until there is one.
//
//   before  op (n: reduction) ins(%X[n]) outs(%v[], %p[]) { ... } combine { ... } neutral (...)
//   after   alloc %lanes: tensor<32 x f32> in stack      and one of i64
//           op (n: parallel) outs(%lanes[n], %lanes1[n]) { neutral } vector (n: 32)
//           op (n_block: reduction, n: parallel) ins(%X_blocks[n_block, n])
//               outs(%lanes[n], %lanes1[n]) { ... } vector (n: 32)
//           op (n: parallel) ins(%X_rest[n]) outs(%lanes[n], %lanes1[n]) { ... } vector (n: 32)
//           op (n: parallel) ins(lanes from 16 on) outs(lanes before 16) { combined } vector (n: 16)
//           ...                                          with 8, 4, 2 and 1 lanes
//           op () ins(lane 0) outs(%v[], %p[]) { combined }
#pragma once

#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/streams/streaming_common.h"

namespace einc::strategy {

class Partials : StreamingCommon {
 public:
  // What `base` knows of the op, whose axis is a reduction in any order.
  explicit Partials(const StreamingCommon& base) : StreamingCommon(base) {}

  // `vectors` of lanes at once.
  ir::Block run(const ir::StructuredOp& op, int64_t vectors);

 private:
  // All terms, added to those of their lane.
  ir::Block inLanes(const ir::StructuredOp& op, const std::vector<ir::Operand>& lanes,
                    int64_t width);
  // Lanes of the outputs from `end` on stay what they are: their memory is whole, so that they are
  // written, too.
  void keepBehind(ir::StructuredOp& op, const affine::Expr& end) const;
  // A view of the first lanes.
  ir::Operand firstOf(const ir::Operand& lanes, const affine::Expr& count, ir::Block& block);
  // The lanes from `half` on combined with those before them; where that is 0, lane 0 with `to`.
  ir::StructuredOp merged(const ir::Combiner& combiner, const std::vector<ir::Operand>& lanes,
                          int64_t half, const std::vector<ir::Operand>& to, ir::Block& block);
};

}  // namespace einc::strategy
