// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// IR as text (.eir), at every level; parse.h reads it back. The grammar stands in parse.h.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::ir {

// The version of the text format, in its first line.
constexpr int kTextVersion = 1;

std::string print(const Module& module);
std::string print(const Kernel& kernel);

// Names for the operands of an op's payload: their tensors' in lower case, made unique.
std::vector<std::string> argumentNames(const Kernel& kernel, const StructuredOp& op);

// A payload value; operands are called by `arguments`.
std::string print(const Kernel& kernel, const ValueRef& value,
                  const std::vector<std::string>& arguments);

// A statement on one line: loops and their bodies are left out.
std::string printStatement(const Kernel& kernel, const Stmt& stmt);

// Conditions: "unit %A[1] and 32 < K".
std::string print(const Kernel& kernel, const std::vector<Condition>& conditions);

// "-1_i32", "0.1_f32", "inf_f64", "true".
std::string print(ScalarType type, const Number& number);

}  // namespace einc::ir
