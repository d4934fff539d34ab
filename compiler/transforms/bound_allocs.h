// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Memory that is taken in a loop is as large as the largest tile needs it: its size does not depend on the tile, so that it
// can be taken once (hoist.h), and is known before threads begin.
//
//   before  tile m0 : m0_size = 0 .. M by 128 parallel {
//             bound mc = min(m0_size, 192)
//             alloc %T: tensor<mc ceildiv 8 x D x f32>
//   after   tile m0 : m0_size = 0 .. M by 128 parallel {
//             bound mc = min(m0_size, 192)
//             alloc %T: tensor<16 x D x f32>
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// `kernel` is tiled. Sizes that have no known end stay. Nothing reads memory that was not written: more of it changes no value.
void boundAllocs(ir::Kernel& kernel);

}  // namespace einc::transforms
