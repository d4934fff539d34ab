// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// n-D virtual vectors become vectors of the target's width, and scalars.
//
//   before  vector (m: 2, n: 32) {
//             let c: f32 over (m, n) = ...
//             let a: f32 over (m) = %A[k, m] unit m
//             let b: f32 over (n) = %B[k, n] unit n
//             c = fma(a, b, c)
//           }
//   after   vector (n: 16) {
//             let c_0_0: f32 over (n) = ...                  and c_0_1, c_1_0, c_1_1
//             let b_0: f32 over (n) = %B[k, n] unit n
//             let b_1: f32 over (n) = %B[k, n + 16] unit n
//             let a_0: f32 = %A[k, 0]
//             c_0_0 = fma(a_0, b_0, c_0_0)
//             ...
//           }
//
// The axis that most transfers are `unit` along, the last one if none is, goes along the lanes, in
// parts of the target's width and smaller powers of two; along all others each position gets a name
// of its own: what becomes of them is registers. What does not depend on the lanes' axis is a
// scalar. Statements are kept together by their position on the other axes, so that what is loaded
// for one is used at once; but what is assigned is stored when all of it is.
//
// With lanes of a device, what is read for all lanes alike along another axis is read in vectors,
// too:
//
//   let r: f32 over (m) = %A[k, m] unit m
//   let a_0: f32 over (n) = shuffle n [0, 0, 0, 0] (r, r)
//
// Where `shape` says so, and all registers are alike, there is no name for each (repeat.h), and what multiplies matrices is on
// blocks of lanes (blocks.h). Where there is, maxima may share
// terms (share_terms.h), and parts of bytes are cast, and scaled, while they are loaded (cast_loads.h, compute_loads.h).
//
// A store that is unit along another axis than the value's lanes is a transpose, and so is such a
// load: squares of w x w are transposed by log2(w) rounds of shuffles. Lanes lie so that there are few.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

struct VectorShape {
  int vectorBytes;       // of a register
  int lanes = 0;         // of all types; 0: as many as a register holds
  bool repeats = false;  // registers may be repeated along axes, where all are alike
  int64_t turned =
      0;  // of what loads turn, the fewest elements in 16 bytes (repeat.h); 0: they turn nothing
};

// Of a value in a vector: halves are computed as f32.
int registerBytes(ir::ScalarType type);
// Of the widest type that the value is computed with; masks are as wide as what they choose. `axes`: those of the region, if
// they are known; what is the same along them is in no vector.
int registerBytes(const ir::ValueRef& value, const std::vector<ir::Axis>* axes = nullptr);
// Of the widest type that the op computes with: all vectors of a region have the lanes of that.
int registerBytes(const ir::StructuredOp& op);

// `kernel` is at level vector; the result at hardware level.
ir::Kernel unroll(ir::Kernel kernel, const VectorShape& shape);

}  // namespace einc::transforms
