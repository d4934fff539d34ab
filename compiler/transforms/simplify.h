// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Computes what is known in payloads, once sizes and attributes are fixed.
//
//   before  select(eq(2_i32, 1_i32), a, add(cast<i64>(3_i32), index(0)))
//   after   3_i64
//
// Only what is exact: integers and bools; x + 0, x - 0 and x * 1 on integers, x and true, x or false; x * 0, x and false,
// x or true where x reads no operand; casts of literals that lose nothing, and casts to a value's own type. A
// floating-point operation is never touched, as it may round, raise a flag or see a NaN.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::transforms {

// A node whose operands are simple. `mayLeaveOut`: also where they read operands.
ir::ValueRef simplified(const ir::ValueRef& value, bool mayLeaveOut);

// Any level; the result is at the same.
ir::Kernel simplify(ir::Kernel kernel);

}  // namespace einc::transforms
