// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How far an index reaches over the iterations of an op. For an index that is linear in the
// iterators, its smallest and largest value are polynomials in sizes and attributes. Such a
// polynomial has a certain sign if, with each name s written as s' + 1 (s' >= 0), all its
// coefficients have that sign: sizes and attributes are taken as positive.
#pragma once

#include <optional>

#include "compiler/ir/ir.h"

namespace einc::ir {

enum class Sign { Zero, Positive, Negative, Unknown };  // Positive: never negative, not always zero
Sign signOf(const affine::Expr& polynomial);

struct Reach {
  affine::Expr low, high;  // inclusive
};

// Nothing if the index is not linear in the iterators or a coefficient's sign is not known.
std::optional<Reach> reachOf(const Kernel& kernel, const StructuredOp& op,
                             const affine::Expr& index);

}  // namespace einc::ir
