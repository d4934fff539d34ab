// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Inputs that are converted before they are used: once, in a copy, rather than wherever an element
// is read.
//
//   before  op ins(%A[m, k]) ... { (a, b, c) -> add(c, mul(cast<i32>(a), ...)) }
//   after   op ins(%A[x, y]) outs(%converted[x, y]) { (a, c) -> cast<i32>(a) } vector (y: 64)
//           op ins(%converted[m, k]) ... { (a, b, c) -> add(c, mul(a, ...)) }
#pragma once

#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// What the payload casts the input to wherever it uses it, or the input's own type.
ir::ScalarType castType(const ir::Kernel& kernel, const ir::StructuredOp& op, size_t input);

// The payload on elements that have that type: casts to it are gone.
void onCastType(ir::StructuredOp& op, size_t input, ir::ScalarType type);

// What the payload computes of the input alone wherever it uses it, with literals, attributes and sizes: cast<i32>(a) - zero.
// Null where that is the element, or casts of it. Of several inputs: what it computes of all of them together, and of
// nothing else, wherever it uses one.
ir::ValueRef computedOf(const ir::StructuredOp& op, const std::vector<size_t>& inputs);
ir::ValueRef computedOf(const ir::StructuredOp& op, size_t input);

// The payload on elements that are that: it is computed once, not wherever an element is used. The first input is the one
// that is read.
void onComputed(ir::StructuredOp& op, const std::vector<size_t>& inputs);
void onComputed(ir::StructuredOp& op, size_t input);

// Whether an element takes an instruction more before it is broadcast: integers that are widened,
// and bool, which in memory is any byte but 0. (Floating point is converted with the broadcast.)
bool isConverted(const ir::Kernel& kernel, const ir::StructuredOp& op, size_t input);

// Elements of `from`, its first at `starts`, as many as the buffer `to` has, cast to its type: row
// by row, in vectors along the last dimension, `vectors` at once, of which one holds `lanes`.
ir::Block copyOf(transforms::Builder& builder, const ir::Operand& from, unsigned to,
                 const std::vector<affine::Expr>& starts, int64_t lanes, int64_t vectors);

}  // namespace einc::strategy
