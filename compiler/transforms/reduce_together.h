// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Vectors of which each is added up across its lanes, one after the other, are added up together:
// two vectors are halved into one, and so on, until each lane holds a result. 16 vectors of 16
// lanes take 15 additions and 30 shuffles so, where one by one they take 64 and 64.
//
//   before  %C[0] = add(%C[0], reduce add over k (s_0))
//           %C[1] = add(%C[1], reduce add over k (s_1))     and so on, vectors of 4 lanes
//   after   let sums: f32 over (k) = add(shuffle(s_0, s_1: 0 1 4 5), shuffle(s_0, s_1: 2 3 6 7))
//           ...
//           %results[k] unit k = sums2
//           %C[0] = add(%C[0], %results[0])
//           %C[1] = add(%C[1], %results[1])
//
// Each result is of the additions that generated code has for one reduction (emit/c/vectors.cpp):
// of a lane and the one half of the lanes further on, first.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// `kernel` is at hardware level. Fewer than `fewest` reductions stay as they are.
ir::Kernel reduceTogether(ir::Kernel kernel, int64_t fewest);

}  // namespace einc::transforms
