// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether an op's reduction may be done in parts.
#pragma once

#include <optional>

#include "compiler/ir/ir.h"

namespace einc::transforms {

// The function f, if the op has one output, whose result is f(its old value, what is added to it)
// with an associative f that has a neutral element.
std::optional<ir::Function> combinerOf(const ir::StructuredOp& op);

// The op with differences from its old value, of floats and signed integers, as sums: c - a * b is
// c + -a * b, to the bit.
ir::StructuredOp asSum(ir::StructuredOp op);

// What a sum by that function starts from: for additions -0, as 0 + -0 is 0.
ir::ValueRef neutral(ir::Function function, ir::ScalarType type);

// Whether the result is the same in any order: no floats are added up or multiplied.
bool isExact(const ir::StructuredOp& op);

}  // namespace einc::transforms
