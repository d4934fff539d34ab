// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether an op's reduction may be done in parts, and what these begin with and become.
//
//   before  op (k: reduction) ins(%A[k], %B[k]) outs(%C[]) { (a, b, c) -> sub(c, mul(a, b)) }
//   after   op (k: reduction) ins(%A[k], %B[k]) outs(%C[]) { (a, b, c) -> add(c, mul(neg(a), b)) }
//           parts begin with 0, and two become add(first, second)
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::transforms {

// The function f, if the op has one output, whose result is f(its old value, what is added to it)
// with an associative f that has a neutral element.
std::optional<ir::Function> combinerOf(const ir::StructuredOp& op);

// The same of each output, if all results are such, and none reads another's old value.
std::optional<std::vector<ir::Function>> combinersOf(const ir::StructuredOp& op);

// The op with differences from its old value, of floats and signed integers, as sums: c - a * b is
// c + -a * b, to the bit.
ir::StructuredOp asSum(ir::StructuredOp op);

// What a sum by that function starts from: for additions -0, as 0 + -0 is 0.
ir::ValueRef neutral(ir::Function function, ir::ScalarType type);

// How the results of parts become one: by the op's own combiner, or each by its function. Nothing for
// an op whose terms have an order.
std::optional<ir::Combiner> partsOf(const ir::StructuredOp& op);

// The results of `combiner` where the first part is what `a` gives for a number, the second `b`.
using PartAt = std::function<ir::ValueRef(size_t)>;
std::vector<ir::ValueRef> combined(const ir::Combiner& combiner, const PartAt& a, const PartAt& b);
// The results of an op whose outputs are the first part, and whose inputs are the second.
std::vector<ir::ValueRef> inputsIntoOutputs(const ir::Combiner& combiner);

// Whether the result is the same in any order: no floats are added up or multiplied.
bool isExact(const ir::StructuredOp& op);

// Whether it may be done in parts, where a sum keeps the order of the spec, or not.
bool mayReorder(const ir::StructuredOp& op, bool keepsOrder);

}  // namespace einc::transforms
