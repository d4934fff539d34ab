// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Takes out memory, views and tables of offsets that nothing uses, then bounds.
//
//   before  bound mc = min(M, 8); alloc %T; view %T_m0: tensor<mc x f32> = (m) -> %T[m0 + m];
//           op ins(%A[m]) outs(%B[m])
//   after   op ins(%A[m]) outs(%B[m])
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// `kernel` is tiled.
void dropUnused(ir::Kernel& kernel);

// Bounds alone, at any level.
void dropUnusedBounds(ir::Kernel& kernel);

}  // namespace einc::transforms
