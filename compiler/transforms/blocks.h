// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Sums of products by an instruction that multiplies matrices (ir/instruction.h) are in its blocks as long as a loop adds to
// them: two rows and a vector of four columns become two blocks before, and rows again behind it.
//
//   before  vector (m: 8, n: 12) {
//             let c: i32 over (m, n) = %C[m, n] unit n
//             for p = 0 .. P reduction {
//               let a: i64 over (m) = %A[p, m] unit m
//               let b: i64 over (n) = %B[p, n] unit n
//               c = smmla(c, a, b)
//             }
//             %C[m, n] unit n = c
//           }
//   after   vector (n: 4, w: 2) times (r: 4, v: 3) {
//             let c: i32 over (r, v, n) = %C[r * 2, v * 4 + n] unit n
//             let c1: i32 over (r, v, n) = %C[r * 2 + 1, v * 4 + n] unit n
//             let block: i32 over (r, v, n) = shuffle n [0, 1, 4, 5] (c, c1)
//             let block1: i32 over (r, v, n) = shuffle n [2, 3, 6, 7] (c, c1)
//             for p = 0 .. P reduction {
//               let a: i64 over (r, w) = %A[p, r * 2 + w] unit w
//               let b: i64 over (v, w) = %B[p, v * 4 + w] unit w
//               let b1: i64 over (v, w) = %B[p, v * 4 + w + 2] unit w
//               block = smmla[n, w](block, a, b)
//               block1 = smmla[n, w](block1, a, b1)
//             }
//             c = shuffle n [0, 1, 4, 5] (block, block1)
//             c1 = shuffle n [2, 3, 6, 7] (block, block1)
//             %C[r * 2, v * 4 + n] unit n = c                   and that of c1
//           }
//
// The words of rows may be the instruction's second ones: blocks are then transposed. Other regions stay as they are, such as
// those of an odd number of rows: there an instruction is on the words of each lane.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::transforms {

// What the axes of blocks are called in all regions of a kernel, as variants have the same; "" until there is one.
struct BlockAxes {
  std::string rows, parts, words;
};

// The region, of level vector, as one of level hardware; or nothing.
std::optional<ir::Vector> inBlocks(Builder& builder, const ir::Vector& region, BlockAxes& axes);

}  // namespace einc::transforms
