// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Scalars that know how far a correct kernel may be from them. The value is computed in long double
// without rounding to the type; the error bounds what a kernel that rounds each operation to its type
// may add up to, for any order of its sums and products.
//
//   correctly rounded functions   u * |result|, 0 when no rounding is needed; u = 2^-precision
//   other float functions         ulpsOf(function) units in the last place, and what the error of
//                                 the arguments does to the result
//   n-term sums of a reduction    sum of the terms' errors + gamma_(n-1) * sum of |terms|, with
//                                 gamma_k = k * u / (1 - k * u); 0 when every partial sum is exact
//   integers, bools               no error: the exact bits
//
// Where the error decides between different results (a comparison, a rounding, a cast to integer,
// a pole, overflow in some orders only), the bound is infinite and the element says nothing. An
// infinite or NaN value has error 0: a kernel must give the same kind.
//
// Not covered: a reduction whose accumulator is cast in each step is bounded for the order of the
// interpreter only.
#pragma once

#include <span>

#include "compiler/ir/types.h"

namespace einc::interp {

struct Tracked {
  ir::Number exact;           // integers and bools
  long double value = 0;      // floats
  double error = 0;
  double typical = 0;         // error, with 8 * sqrt(n) for n where that is less (see Element)

  // An unfinished reduction. For a sum, error and typical are those of the terms alone.
  enum class Reduction : uint8_t { None, Sum, Product } reduction = Reduction::None;
  double terms = 1;
  double most = 0;   // Sum: the sum of |terms|; Product: no partial product is larger
  double least = 0;  // Sum: every term is a multiple of this power of two; Product: none is smaller
  bool accumulates = false;  // is what a reduction updates

  bool unbounded() const;
};

// Units in the last place that a C library's function may be off: GNU libc documents at most 2 for
// f32 and f64, but 4 for cbrt. 0 for functions that round correctly.
int ulpsOf(ir::Function function);

Tracked trackedLiteral(ir::ScalarType type, const ir::Number& number);
Tracked trackedCall(ir::Function function, ir::ScalarType type, std::span<const Tracked> args);
Tracked trackedCast(ir::ScalarType from, ir::ScalarType to, const Tracked& value);

// The value of a reduction with its whole error; other values as they are.
Tracked finished(ir::ScalarType type, const Tracked& value);

}  // namespace einc::interp
