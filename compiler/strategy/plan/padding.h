// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An input that is read outside its tensor, where `pad` stands, as a copy with that border around
// it: what reads the copy tests no bounds.
//
//   before  I(n, oh * s + kh - p, c) else 0      after  P(n, oh * s + kh, c)
//
//   P(x0, x1, x2) = I(x0, x1 - p, x2) else 0 for all positions that are read
//
// The copy may have whole blocks of positions along a dimension of its own:
//
//   before  I(n, oh + kh - p, c) else 0, c < 3   after  P(n, oh + kh, c), c < 4      P(x0, x1, 3) = 0
//
// Refused where an index is not linear in the iterators. Where the positions that are read are
// known to lie inside the tensor, there is no copy, just no `pad`.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

struct Padded {
  ir::Operand operand;                    // what to read in its place
  ir::Block copy;                         // allocates and fills P; empty if there is none
  std::vector<ir::Condition> conditions;  // when P has all positions, and is not too large
};

// `op` is as the spec has it, without views. A vector holds `lanes` elements; `vectors` are copied at once. There are as many
// positions along the iterator of `blocks` as whole blocks have.
std::optional<Padded> padded(transforms::Builder& builder, const ir::StructuredOp& op, size_t input,
                             int64_t lanes, int64_t vectors,
                             const std::optional<ir::Axis>& blocks = {});

}  // namespace einc::strategy
