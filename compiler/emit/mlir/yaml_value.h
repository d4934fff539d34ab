// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The payload of a named op as a scalar expression of OpDSL.
#pragma once

#include <string>

#include "compiler/emit/mlir/named_op.h"
#include "compiler/support/text_writer.h"

namespace einc::emit {

// A name for an element type, concrete where OpDSL knows it: F32, I8. Bool is I1.
std::string yamlTypeVariable(ir::ScalarType type);

// Writes "value: !ScalarExpression" and what is under it. Returns why OpDSL cannot say the value,
// or an empty string; the text is of no use then.
std::string writeYamlValue(const NamedOp& op, const ir::ValueRef& value, TextWriter& out);

}  // namespace einc::emit
