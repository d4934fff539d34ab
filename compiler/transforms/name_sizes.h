// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Sizes of locals that are sums, of which it is not known that they are not negative, get a name that says so. What divides by
// them later (positions of several dimensions that are counted as one) is one symbol then, which is computed once.
//
//   before  local %A: tensor<(OH * stride - stride + KH) x F x f32>
//   after   bound minus_a_size = min(0, -OH * stride + stride - KH)
//           local %A: tensor<(-minus_a_size) x F x f32>
//
// A call whose locals had a negative size is refused before the kernel runs.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// `kernel` is at level tensors. Sizes that a tensor of the contract has, too, stay as they are.
ir::Kernel nameSizes(ir::Kernel kernel);

}  // namespace einc::transforms
