// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Parts of bytes that are cast wherever they are used are cast where they are loaded, which one sequence of
// instructions does.
//
//   before  let w: i4 over (k) = %W[0, k] unit k
//           y = fma(x, cast<f32>(w), y)
//   after   let w: f32 over (k) = cast<f32>(%W[0, k] unit k)
//           y = fma(x, w, y)
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// In a region at hardware level.
void castLoads(ir::Vector& region);

}  // namespace einc::transforms
