// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Applies a function to every index expression and to every node of every payload value of a block;
// or to every structured op. Here m + 1 for m in indices, then 3 for 2 in values:
//
//   before  view %V: tensor<M x f32> = (i) -> %A[m + i]
//           %C[m] = mul(%V[m], 2.0_f32)
//   after   view %V: tensor<M x f32> = (i) -> %A[m + 1 + i]
//           %C[m + 1] = mul(%V[m + 1], 3.0_f32)
//
// What blocks declare stays: the names and sizes of views, the axes of regions.
#pragma once

#include <functional>

#include "compiler/ir/ir.h"

namespace einc::transforms {

using IndexRewrite = std::function<affine::Expr(const affine::Expr&)>;
// Gets each node with its children and indices already rewritten; a null result leaves it so.
using ValueRewrite = std::function<ir::ValueRef(const ir::ValueRef&)>;

void rewriteBlock(ir::Block& block, const IndexRewrite& index, const ValueRewrite& value);

// In order, those inside loops included.
void rewriteOps(ir::Block& block, const std::function<void(ir::StructuredOp&)>& rewrite);

}  // namespace einc::transforms
