// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What an op's indices are where a symbol is known to be a number:
//
//   before  ins(%I[oh, ow * s + kw])     s == 1
//   after   ins(%I[oh, ow + kw])
//
// An index that would be an iterator alone stays as it is: it would say how many positions there are.
#pragma once

#include <string>

#include "compiler/ir/ir.h"

namespace einc::transforms {

affine::Expr withKnown(const affine::Expr& index, const std::string& symbol,
                       const affine::Expr& number);

// In all operands.
void setKnown(ir::StructuredOp& op, const std::string& symbol, const affine::Expr& number);

}  // namespace einc::transforms
