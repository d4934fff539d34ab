// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The spelling of a number and its value in a type.
#pragma once

#include <string_view>

#include "compiler/ir/types.h"
#include "compiler/support/result.h"

namespace einc::frontend {

// Decimal or hexadecimal digits only: takes the type its context wants, float or integer.
bool isIntegerSpelling(std::string_view text);

// The number in the type, rounded once to nearest even; or why there is none: malformed, a fraction
// in an integer type, out of range, or so small that nothing but zero would be left.
Result<ir::Number> parseLiteral(std::string_view text, bool negative, ir::ScalarType type);

}  // namespace einc::frontend
