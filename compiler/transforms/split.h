// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A reduction in parts that do not wait for each other:
//
//   before  op (m: parallel, k: reduction) ins(%A[m, k]) outs(%C[m]) { (a, c) -> add(c, a) }
//
//   after   alloc %parts: tensor<K floordiv W x M x f32>
//           op (k_part: parallel, m: parallel) outs(%parts[k_part, m]) { (p) -> 0 }
//           view %A_parts = (m, k_part, k) -> %A[m, k_part * W + k]
//           op (k_part: parallel, m: parallel, k: reduction) ins(%A_parts[m, k_part, k])
//               outs(%parts[k_part, m]) { (a, p) -> add(p, a) }
//           op (m: parallel, k_part: reduction) ins(%parts[k_part, m]) outs(%C[m])
//               { (p, c) -> add(c, p) }
//           view %A_rest = (m, k) -> %A[m, K floordiv W * W + k]
//           op (m: parallel, k: reduction) ins(%A_rest[m, k]) outs(%C[m]) { (a, c) -> add(c, a) }
//
// Which elements are added up together depends on sizes alone.
#pragma once

#include <string>

#include "compiler/transforms/builder.h"

namespace einc::transforms {

// `op` is canonical and has a combiner (partsOf in combiner.h); `width`, at least 1, is over size symbols;
// `wanted` is what the iterator over parts is called, if it can be.
ir::Block splitReduction(Builder& builder, const ir::StructuredOp& op, const std::string& iterator,
                         const affine::Expr& width, const std::string& wanted);

}  // namespace einc::transforms
