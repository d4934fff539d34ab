// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A contraction whose groups have several iterators as loops around a matrix product, as steps: of M
// and N one iterator each is left, of N that along which the output is contiguous.
//
//   op (e, d, c, b, a: parallel, f: reduction) ins(%A[d, a, c, f, e], %B[f, b]) outs(%O[e, d, c, b, a])
//
//   tile d by 1
//   tile c by 1
//   copy A (f, e, a) as blocks_A { function transpose_A { ... } }
//   tile e by 1
//   ...                                 the steps of O(b, a) += A(f, a) * B(f, b)
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
#include <vector>

#include "compiler/strategy/form.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/support/result.h"

namespace einc::strategy {

struct Nested {
  Steps steps;
  std::string line;  // what is done, for `einc explain`
};

// The steps of a matrix product in a kernel, without threads.
using OnProduct = std::function<Steps(const ir::Kernel&, const ir::StructuredOp&)>;

Result<Nested> nest(const ir::Kernel& kernel, const ir::StructuredOp& op,
                    const std::vector<OperandName>& names, const Groups& groups,
                    const ScheduleOptions& options, const OnProduct& product);

}  // namespace einc::strategy
