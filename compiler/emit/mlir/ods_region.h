// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The payload of a named op as C++ that builds its region: method regionBuilder, in the form of
// ods.h.
#pragma once

#include <string>

#include "compiler/emit/mlir/named_op.h"

namespace einc::emit {

std::string odsRegionBuilder(const NamedOp& op);

// An index expression in C++ over AffineExpr variables of its iterators' and symbols' names, and
// MLIRContext *context for constants.
std::string odsAffineText(const affine::Expr& expr);

}  // namespace einc::emit
