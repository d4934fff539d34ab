// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Scalar arithmetic exactly as functions.def and ir::Cast document it, in portable C++. A Number
// means something only together with its ScalarType. Assumes that the host rounds to nearest even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compiler/ir/types.h"

namespace einc::interp {

// The nearest value of a float type, ties to even; infinity past the largest.
double roundTo(ir::ScalarType type, double value);

// The largest e for which 2^e is a finite value of the float type. The smallest normal value is
// 2^(1 - e).
int maxExponent(ir::ScalarType type);

// The value of an integer or bool. u64 values past INT64_MAX come out negative: same bits.
int64_t signExtended(ir::ScalarType type, const ir::Number& number);

// An integer modulo 2^bits.
ir::Number integerNumber(ir::ScalarType type, uint64_t bits);

// A cast. One rounding, whatever the types.
ir::Number convert(const ir::Number& value, ir::ScalarType from, ir::ScalarType to);

// A call whose operands have type `type` (for Select: the second and third).
ir::Number apply(ir::Function function, ir::ScalarType type, std::span<const ir::Number> args);

// A float function in long double, without rounding to a type.
long double applyWide(ir::Function function, long double x, long double y);

// One element in memory, in the host's byte order.
ir::Number readElement(ir::ScalarType type, const std::byte* bytes);
void writeElement(ir::ScalarType type, const ir::Number& value, std::byte* bytes);

}  // namespace einc::interp
