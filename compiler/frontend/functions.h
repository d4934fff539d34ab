// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The names under which a spec can call the scalar functions: the modern ones of functions.def, and
// the historic ones (`std_addf`, `std_sexti32`, `AddFOp`, `arith_mulf`, `max_unsigned`, ...).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/types.h"

namespace einc::frontend {

// What the name says about its operands, beyond what the function itself asks for.
enum class OperandClass : uint8_t {
  Any,
  Float,    // std_addf
  Integer,  // std_addi
  Signed,   // std_divi_signed: computed on the signed reading of the bits
  Unsigned  // std_divi_unsigned
};

struct FunctionName {
  ir::Function function;
  OperandClass operands = OperandClass::Any;
};
std::optional<FunctionName> findFunction(std::string_view name);

// A historic cast that carries its target: std_sexti32, std_zexti64, std_trunci8, std_extf64, ...
struct CastName {
  ir::ScalarType to;
  OperandClass operand;
};
std::optional<CastName> findCast(std::string_view name);

// For "did you mean".
std::vector<std::string> functionNames();

}  // namespace einc::frontend
