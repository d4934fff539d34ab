// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The packed macro-kernel, for any op with groups M, N and K (groups.h) and any payload.
//
//   tile n0 by nc {                                  the panel of the right operand
//     tile k0 by kc reduction {
//       op: pack B, [nc / nr][kc][nr], padded with zeros
//       tile m0 by mc {                              the block of the left operand
//         op: pack A, [mc / mr][kc][mr]
//         tile n1 by nr {
//           tile m1 by mr {
//             if C has unit stride and the tile is whole { op vector (m: mr, n: nr) on C }
//             else, where the target has masks, { the same, cut off by them }
//             else { the same on a scratch tile, which is then added to C (write_back.h) }
//   } } } } }
//
// The five loops of K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", ACM TOMS 34(3), 2008. A group of several iterators is one dimension of a view:
// rows and columns sit at offsets looked up in tables, so that contractions of any index order and
// convolutions are packed straight from where they are. K's iterators stay apart: their tiles are
// boxes, in the order of the groups, so that terms are added in the order in which they are
// written, where the groups have that of the op.
//
// What the output starts from, and ops that read it, are done on the register tiles (region.h).
// Sums that take several tiles of K are kept in a buffer until they are finished.
//
// With fewer results, the left operand is not packed (in_place.h).
#pragma once

#include "compiler/ir/ir.h"
#include "compiler/strategy/contractions/region.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/model.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/report.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// What is said of it.
void note(const Groups& groups, const ContractionTiles& tiles, OpReport& report);

// `op` is the region's contraction, or the same with its iterators in another order.
ir::Block contraction(transforms::Builder& builder, const ir::StructuredOp& op, Region& region,
                      const Groups& groups, const ContractionTiles& tiles,
                      const ScheduleOptions& options, std::vector<std::string>& lines);

}  // namespace einc::strategy
