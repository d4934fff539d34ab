// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A value as a polynomial of something that it reads, the centre: its derivatives are the same kind of values.
//
//   square(sub(x, c)) * w    first  mul(mul(-2.0, sub(x, c)), w)    second  mul(2.0, w)
//
// A sum of such values is moved to another centre by the sums of these: with d from the old centre to the new one,
//
//   sum f(x, c + d) = sum f(x, c) + d * sum f'(x, c) + d * d / 2 * sum f''(x, c) + ...
//
// as many as there are, for the last one is the same at any centre. But for rounding, that is exact.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::transforms {

// The first one, the second and so on, without those that are 0 at the end: of what stays there is none.
using Derivatives = std::vector<ir::ValueRef>;

// The most that are looked for: of a fourth power there are four.
constexpr size_t kMostDerivatives = 4;

// Of an operand; nothing where it changes in another way.
using DerivativesOf = std::function<std::optional<Derivatives>(const ir::ValueRef& operand)>;

// Of a value, of floats; nothing if it is no polynomial, or one of a higher degree.
std::optional<Derivatives> derivativesOf(const ir::ValueRef& value, const DerivativesOf& operand);

// From one centre to another, in a type that sums have; not rounded to that before.
ir::ValueRef distance(ir::ScalarType type, const ir::ValueRef& from, const ir::ValueRef& to);

// What moves a sum by `distance`: sums of the derivatives times powers of that. A sum that is 0 moves nothing, however far.
ir::ValueRef movedBy(const std::vector<ir::ValueRef>& sums, const ir::ValueRef& distance);

}  // namespace einc::transforms
