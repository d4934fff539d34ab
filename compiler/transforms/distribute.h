// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Loops over tiles to the workgroups and invocations of a device. Outer nests of parallel loops
// become dispatches:
//
//   before  tile m0 : m0_size = 0 .. M by 64 parallel {
//             alloc %A_tile: tensor<64 x 16 x f32> in workgroup
//             tile k0 : k0_size = 0 .. K by 16 reduction {
//               op (m: parallel, k: parallel) ins(%A_pad[m, k]) outs(%A_tile[m, k]) { ... }
//               tile t : t_size = 0 .. 32 by 1 parallel { op ... ins(%A_tile[...]) ... }
//           } }
//   after   dispatch rows (32, 1, 1) {
//             tile m0 : m0_size = 0 .. M by 64 parallel on workgroups x {
//               alloc %A_tile: tensor<64 x 16 x f32> in workgroup
//               tile k0 : k0_size = 0 .. K by 16 reduction {
//                 tile i : i_size = 0 .. 1024 by 1 parallel on invocations {
//                   bound m = min(i floordiv 16), bound k = min(i mod 16)
//                   op () ins(%A_pad_i[]) outs(%A_tile_i[]) { ... }
//                 }
//                 barrier
//                 tile t : t_size = 0 .. 32 by 1 parallel on invocations x { op ... }
//                 barrier
//           } } }
//
// Where the invocations of a workgroup share no memory, its loops become one, on the grid:
//
//   before  tile m0 : s = 0 .. M by 1 parallel { tile n0 : t = 0 .. N by 4 parallel { op ... } }
//   after   bound n0_count = min(N ceildiv 4), bound positions = min(M * n0_count)
//           dispatch grid (128, 1, 1) {
//             tile i : i_size = 0 .. positions by 1 parallel on grid {
//               bound m0 = min(i floordiv n0_count), bound n0 = min(i mod n0_count * 4)
//               op ...
//           } }
//
// A loop that says where its iterations run (`on workgroups x`, of any dimension, `on grid`, `on
// invocations`) gets that, and parallel loops in a nest with it that say nothing stay in order:
//
//   before  tile m0 by 1 parallel on workgroups x { tile n0 by 1 parallel on invocations {
//             tile k0 by 1 parallel { op ... } } }
//   after   dispatch rows (128, 1, 1) {
//             tile m0 by 1 parallel on workgroups x { tile n0 by 1 parallel on invocations {
//               tile k0 by 1 parallel { op ... } } } }
//
// In a workgroup, a nest of at most three parallel loops by 1 whose rounds are constants gives each
// round an invocation (all such nests have the same rounds); other parallel loops, and the parallel
// iterators of ops, are shared out. Only parallel loops are distributed, so no two invocations
// write one element (law 3). Between what writes memory of the workgroup, or of a buffer, and what
// then reads or writes the same, and the other way around, there is a barrier.
#pragma once

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::transforms {

// `kernel` is tiled, without threads; `invocations` are those of a workgroup where no nest says how
// many.
ir::Kernel distribute(const ir::Kernel& kernel, int64_t invocations);

}  // namespace einc::transforms
