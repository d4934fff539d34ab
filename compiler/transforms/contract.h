// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Products that are added become one operation with one rounding, where the target has it.
//
//   before  c = add(c, mul(a, b))        after  c = fma(a, b, c)
//   before  c = sub(c, mul(a, b))        after  c = fma(neg(a), b, c)
//   before  c = add(c, square(a))        after  c = fma(a, a, c)
//   before  c = add(c, vpdpbusd(0, a, b)) after c = vpdpbusd(c, a, b)
//
// In vector regions only, and of f32 and f64: elsewhere `fma` may be a call of a function. A result
// is no less exact than before, but another: not done where the order and roundings of the spec are
// asked for.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

ir::Kernel contractProducts(ir::Kernel kernel);

// Instructions on integers alone: these are exact.
ir::Kernel contractInstructions(ir::Kernel kernel);

}  // namespace einc::transforms
