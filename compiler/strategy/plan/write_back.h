// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A register tile on scratch, and the output that it stands for: what is in between where the
// output is not contiguous along the tile's rows, or, on targets without masks, ends in the tile.
//
//   op (m, n) outs(%scratch[m, n]) { -0.0 }
//   op ... outs(%scratch[m, n])                                    adds the tile's sums
//   if unit %C[m] { ... }                                          C = C + scratch, by squares
//   else if unit %C[n] { op (m, n) ... vector (n: 48) }            C = C + scratch, by rows
//   else tile n by 12 { if unit %C_n[n] { op ... vector (n: 12) } else { op ... } }
//
// Squares are transposed in registers. The last form is for a group N of several iterators: each
// stretch of the last one is contiguous. Sums that are to keep their order begin with a copy of the
// output, however it lies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

struct WriteBack {
  std::string m, n;                      // the tile's iterators
  int64_t rows, columns;                 // how many positions it has
  int64_t piece;                         // of n: how far the output may be contiguous (pack.h)
  std::optional<ir::Function> combiner;  // adds a sum to the output; none: copies
  bool isStrided;                        // outputs are known not to be contiguous along n
  int64_t lanes;                         // of a vector
  bool masks;                            // reads and writes of part of one are vectors, too
};

// What stands before and after the tile, for each output of `op`, whose sizes on this tile are
// `rows` and `columns`; `op` then has scratch for its outputs.
struct OnScratch {
  ir::Block before, after;
};
OnScratch onScratch(transforms::Builder& builder, ir::StructuredOp& op, const WriteBack& how,
                    const affine::Expr& rows, const affine::Expr& columns);

// An op that writes the output from a tile: by rows, by squares, or by pieces, as it suits how that
// lies in memory.
ir::Block writtenBack(transforms::Builder& builder, ir::StructuredOp op, const WriteBack& how);

}  // namespace einc::strategy
