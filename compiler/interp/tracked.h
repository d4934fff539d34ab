// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Scalars that know how far a correct kernel may be from them. The value is computed in long double
// without rounding to the type; the error bounds what a kernel that rounds each operation to its
// type may add up to, for any order of its sums and products:
//
//   correctly rounded functions   u * |result|, 0 when no rounding is needed; u = 2^-precision
//   other float functions         ulpsOf(function) units in the last place, and what the errors of
//                                 the arguments do to the result
//   sums of n terms in reductions the terms' errors + gamma_(n-1) * sum of |terms|, where
//                                 gamma_k = k * u / (1 - k * u); 0 when every partial sum is exact
//   the same, of distances from   gamma_(4n+16) of that: they may be made about another mean, and moved
//   a sum, as from a mean          (transforms/rounds_moments.h), which is exact for no numbers
//   products of n factors         the same with |product|
//   integers, bools               no error: the exact bits
//
// Where errors decide between different results (a comparison, a rounding, a cast to integer, a
// pole, overflow in some orders only), the error is infinite and the value says nothing. An
// infinite or NaN value has error 0: a kernel must give the same kind.
//
// Not covered: a reduction that casts its accumulator in each step is bounded in the interpreter's
// order only.
#pragma once

#include <cmath>
#include <span>

#include "compiler/ir/types.h"

namespace einc::interp {

struct Tracked {
  ir::ScalarType type = ir::ScalarType::Bool;
  ir::Number exact = {};  // integers and bools
  long double value = 0;  // floats
  double error = 0;
  double typical = 0;  // the same with min(gamma_(n-1), 8 * sqrt(n) * u): rarely exceeded

  // A reduction under way. Errors are then those of the terms alone; `finished` adds the rest.
  enum class Reduction : uint8_t { None, Sum, Product };
  Reduction reduction = Reduction::None;
  bool accumulates = false;  // about to be updated by a reduction
  bool ofSum = false;        // a float that depends on a sum of several terms
  bool isAway = false;       // or on a distance from such
  double terms = 1;
  double most = 0;   // Sum: the sum of |terms|. Product: no partial product is larger
  double least = 0;  // Sum: all terms are multiples of this. Product: no partial product is smaller

  bool isUnbounded() const { return std::isinf(error); }
};

// Units in the last place by which a function of the C library may be off: GNU libc documents at
// most 2 in f32 and f64, but 4 for cbrt.
int ulpsOf(ir::Function function);

Tracked trackedLiteral(ir::ScalarType type, const ir::Number& number);
Tracked trackedCall(ir::Function function, std::span<const Tracked> args);
Tracked trackedCast(ir::ScalarType to, const Tracked& value);

// The result of a reduction with its whole error; other values as they are.
Tracked finished(const Tracked& value);

}  // namespace einc::interp
