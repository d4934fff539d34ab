// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Scalar arithmetic exactly as functions.def and Cast document it, in portable C++. A Number
// means something only together with its ScalarType. Assumes that the host rounds to nearest even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compiler/ir/types.h"

namespace einc::ir {

// The nearest value of a float type, ties to even; past the largest infinity, which is NaN in f8e4m3.
double roundTo(ScalarType type, double value);

// The largest e for which 2^e is a finite value of the float type, and the smallest for which it is a
// normal one.
int maxExponent(ScalarType type);
int minExponent(ScalarType type);

// An integer modulo 2^bits.
Number integerNumber(ScalarType type, uint64_t bits);

// A cast. One rounding, whatever the types.
Number convert(const Number& value, ScalarType from, ScalarType to);

// A call whose operands have type `type` (for Select: the second and third).
Number apply(Function function, ScalarType type, std::span<const Number> args);

// A float function in long double, without rounding to a type.
long double applyWide(Function function, long double x, long double y);

// One element in memory, in the host's byte order.
Number readElement(ScalarType type, const std::byte* bytes);
void writeElement(ScalarType type, const Number& value, std::byte* bytes);
// Neighbours in memory, of a type, as one integer: the first in its lowest bits. At most 8 bytes. Each
// has whole bytes there (inBytes).
Number wordOf(ScalarType type, std::span<const Number> elements);

}  // namespace einc::ir
