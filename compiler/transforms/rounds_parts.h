// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Rounds in parts that do not wait for each other. Each part carries on bounds and sums of its own, in a row of memory that
// all parts have together. Behind them the rows become one: the bound is the largest (or smallest) of all, and a sum is that
// of all, each multiplied by what changes from its part's bound to the one of all (cascade.h).
//
//   before  tile n0 = 0 .. N by 96 reduction { ... outs(%L) ... outs(%T) ... }
//   after   bound n_many = min(1, M floordiv 4)                              local %L_parts: n_parts
//           bound n_parts = min((N + 1023) floordiv 1024, N - N * n_many + 1)
//           ...
//           tile n_part = 0 .. n_parts by 1 parallel on threads {
//             bound n_length = min(1024 + N * n_many, N - n_part * 1024)
//             view %L_part = () -> %L_parts[n_part]
//             op outs(%L_part) { -inf }
//             op outs(%T_part) { 0.0 }
//             tile n0 = 0 .. n_length by 96 reduction { ... outs(%L_part) ... outs(%T_part) ... }
//           }
//           tile part = 0 .. n_parts by 1 reduction {
//             op ins(%L_parts[part]) outs(%L) { max(l, l_parts) }
//           }
//           tile part = 0 .. n_parts by 1 reduction {
//             op ins(%L_parts[part], %L) outs(%factor) { select(eq(l_parts, l), 1.0, exp(sub(l_parts, l))) }
//             op ins(%L_parts[part], %L, %factor, %T_parts[part]) outs(%T)
//                 { add(t, select(eq(l_parts, l), t_parts, select(eq(l_parts, -inf), 0.0, mul(t_parts, factor)))) }
//           }
//
// A part has centres of its own, too (rounds_moments.h). Where they are for all is computed between the two loops; then each part's
// sums are moved there, and added up.
//
// Where n_many is 1, as tiles are enough for threads, one part has all positions, and nothing is changed by being combined.
//
// How parts are cut depends on sizes alone: any number of threads gives the same bits.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/rounds.h"
#include "compiler/transforms/rounds_moments.h"

namespace einc::transforms {

// What the parts have left of one result.
struct PartsResult {
  unsigned tensor;  // as `Rounds` has it
  std::vector<ir::Iterator> iterators;
  ir::Operand whole;  // where it is to be, over these
  SourceRange source;
  std::vector<size_t> loops;  // of the whole's dimensions: numbers of outer loops, or others
  unsigned row;               // a part's own, where all of it stands
  unsigned rows;              // the memory of them all, each at least as large as the whole
  ir::Function function;      // how two become one, where no bound is changed
  bool isSoFar = false;       // computed from others, in each round, and of all of them behind
};

// What a part begins with.
ir::Block beginParts(const ir::Kernel& kernel, const std::vector<PartsResult>& results);

// `results` stand in the order in which rounds write them, of which there are `count` parts.
// `between` computes what depends on sums and bounds of all.
ir::Block combineParts(Builder& builder, const WithMoments& rounds,
                       const std::vector<PartsResult>& results, const affine::Expr& count,
                       ir::Block between);

}  // namespace einc::transforms
