// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A contraction whose groups have several iterators as loops around a matrix product: of M and N
// one iterator each is left, of N that along which the output is contiguous.
//
//   before  op (e, d, c, b, a: parallel, f: reduction) ins(%A[d, a, c, f, e], %B[f, b])
//               outs(%O[e, d, c, b, a])
//   after   tile d0 by 1 { tile c0 by 1 {
//             op (a, f, e) ins(%A_d0_c0[a, f, e]) outs(%blocks_A[e, f, a]) { a1 }
//             tile e0 by 1 {
//               op (b, a, f) ins(%blocks_A_e0[f, a], %B[f, b]) outs(%O_...[b, a]) { ... }
//             } } }
//
// So nothing has to be found in tables of offsets, or is cut off where one iterator ends and the
// next begins, and the forms that pack little or nothing (direct.h, in_place.h) will do. Where the
// right operand is contiguous along another iterator, blocks of it that stay in the second cache
// are transposed first.
//
// Refused: sizes that are not known; a row of results that would leave much of its vectors unused;
// operands that are read again in each round of a loop and do not stay in the second cache, which
// is what the macro-kernel is for; on threads, an outermost loop with few rounds.
#pragma once

#include <functional>
#include <string>

#include "compiler/strategy/groups.h"
#include "compiler/strategy/options.h"
#include "compiler/support/result.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

struct Nested {
  ir::Block block;
  std::string line;  // what is done, for `einc explain`
};

// `product` makes code of a matrix product, without threads.
Result<Nested> nest(transforms::Builder& builder, const ir::StructuredOp& op, const Groups& groups,
                    const ScheduleOptions& options,
                    const std::function<ir::Block(const ir::StructuredOp&)>& product);

}  // namespace einc::strategy
