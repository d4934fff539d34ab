// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Applies a function to every index expression and to every node of every payload value of a block;
// or to every structured op.
#pragma once

#include <functional>

#include "compiler/ir/ir.h"

namespace einc::transforms {

using IndexRewrite = std::function<affine::Expr(const affine::Expr&)>;
// Gets each node with its children already rewritten.
using ValueRewrite = std::function<ir::ValueRef(const ir::ValueRef&)>;

void rewriteBlock(ir::Block& block, const IndexRewrite& index, const ValueRewrite& value);

// In order, those inside loops included.
void rewriteOps(ir::Block& block, const std::function<void(ir::StructuredOp&)>& rewrite);

}  // namespace einc::transforms
