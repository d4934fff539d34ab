// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The spelling of a number and its value in a type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::ir {

// Decimal or hexadecimal digits only: takes the type its context wants, float or integer.
bool isIntegerSpelling(std::string_view text);

// The number in the type, rounded once to nearest even; or why there is none: malformed, a fraction
// in an integer type, out of range, or so small that nothing but zero would be left.
Result<Number> parseLiteral(std::string_view text, bool negative, ScalarType type);

// The elements of an attribute, such as "2,-2" with separator ','; bools are true and false. One
// element stands for all of a shaped attribute.
Result<std::vector<Number>> parseElements(const Attribute& attribute, std::string_view text,
                                          char separator);

// The shortest decimal that parseLiteral reads back: "-1", "0.1", "true"; "inf" and "nan", too.
std::string literalText(ScalarType type, const Number& number);

// The number is a value of the type, held as Number says.
bool isValueOf(ScalarType type, const Number& number);

// The value of an integer or bool. u64 values past INT64_MAX come out negative: same bits.
int64_t signedValue(ScalarType type, const Number& number);

// "true", "false", "inf_f32", "nan_bf16", ...: a literal in IR text, so nothing else has that name.
bool isLiteralName(std::string_view name);

}  // namespace einc::ir
