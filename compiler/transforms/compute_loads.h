// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A part of a byte is one of few numbers, so that a target may look up what is computed of it. Where all that is done with one
// is the same, with numbers that all lanes have in common, it is done where the part is loaded.
//
//   before  let w: f32 over (k) = cast<f32>(%W[0, k] unit k)
//           let s: f32 = %scale[0]
//           y = fma(x, mul(w, s), y)
//   after   let s: f32 = %scale[0]
//           let w: f32 over (k) = mul(cast<f32>(%W[0, k] unit k), s)
//           y = fma(x, w, y)
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// In a region at hardware level, behind castLoads.
void computeLoads(ir::Vector& region);

}  // namespace einc::transforms
