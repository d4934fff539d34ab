// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops in the same loops, reductions among them: tile by tile of the parallel iterators that all of them have, and in such a
// tile in rounds along an iterator that some of them reduce. What one op leaves for the next is a tile then, however much it
// is in all. What has been found so far is carried from round to round; where others use it before it is complete, it is a
// bound (cascade.h), and sums that were made with the last one are multiplied by what it has changed; or a centre, and sums are
// moved with it (rounds_moments.h).
//
//   before  op (m) outs(%L[m]) { -inf }                                       local %S: M x N
//           op (m, n) outs(%S[m, n]) { 0.0 }
//           op (m, n, d: reduction) ins(%Q[m, d], %K[n, d]) outs(%S[m, n]) { add(s, mul(q, k)) }
//           op (m, n: reduction) ins(%S[m, n]) outs(%L[m]) { max(l, s) }
//           op (m) outs(%T[m]) { 0.0 }
//           op (m, n: reduction) ins(%S[m, n], %L[m]) outs(%T[m]) { add(t, exp(sub(s, l))) }
//           op (m) ins(%T[m], %L[m]) outs(%O[m]) { add(log(t), l) }
//   after   tile m0 = 0 .. M by 64 parallel {                                local %S: 64 x 96
//             op outs(%L) { -inf }
//             op outs(%T) { 0.0 }
//             tile n0 = 0 .. N by 96 reduction {
//               op outs(%S) { 0.0 }
//               op ins(%Q_m0, %K_n0) outs(%S) { add(s, mul(q, k)) }
//               op ins(%L) outs(%L_before) { l }
//               op ins(%S) outs(%L) { max(l, s) }
//               op ins(%L_before, %L) outs(%factor) { select(eq(l_before, l), 1.0, exp(sub(l_before, l))) }
//               op ins(%L_before, %factor) outs(%T) { select(eq(l_before, -inf), 0.0, mul(t, factor)) }
//               op ins(%S, %L) outs(%T) { add(t, exp(sub(s, l))) }
//             }
//             op ins(%T, %L) outs(%O_m0) { add(log(t), l) }
//           }
//
// Rounds in which a guard (ir/guard.h) lets nothing pass are left out. Where a choice between two values is the first one in
// all of a round, there is none.
//
// A bound that begins with the number that changes no maximum (-inf) says nothing yet: all terms until then are -inf, and add
// nothing to a sum, whatever they are multiplied by. (As written, 0 times a NaN or an infinity is NaN.)
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/cascade.h"

namespace einc::transforms {

struct Rounds {
  // One iterator of several ops.
  struct Loop {
    std::vector<std::string> names;  // in each op; empty: it has none
    affine::Expr extent;
    int64_t tile = 1;
    std::optional<ir::Grain> grain = {};
    ir::On on = ir::On::Order;  // of parallel ones
  };
  // Before all rounds, in each of them, or behind the last one. Each: in each of them, of what is known so far, and behind the
  // last one, when that is complete.
  enum class When : uint8_t { Before, In, Each, After };

  std::vector<ir::StructuredOp> ops;  // in their order
  std::vector<When> when;             // of each
  std::vector<Loop> outer;            // parallel iterators of all ops, the first is outermost
  Loop along;                         // that of the rounds; no op has it: there are none
  // Parts of so many positions along that, each in rounds of its own, which threads share (rounds_parts.h). Where `tooMany` is
  // 1 or more, and not 0, one part has all positions.
  struct Parts {
    int64_t width;
    affine::Expr tooMany;
    ir::Grain grain = {};
  };
  std::optional<Parts> parts = {};
  // If it is not 0, the first of `outer` is over parts of so many positions along the rounds (rounds_on_workgroups.h). What is
  // behind them, and is the same in all tiles along a loop, is done in the first of these.
  int64_t partWidth = 0;
  bool readsElements = true;  // as numbers, which code for a device does not
  std::map<unsigned, std::string>
      kept;  // locals that no other op uses: what memory for a tile of one is called
  std::map<unsigned, CascadeBound> bounds;   // by their tensors
  std::map<unsigned, Move> moved;            // what changes with them
  std::set<unsigned> sums = {};              // that are read before they are complete
  std::map<unsigned, Moments> moments = {};  // sums that move with a centre (rounds_moments.h)
};

// What the first op that has the loop calls its iterator.
const std::string& nameOf(const Rounds::Loop& loop);

// Each index that mentions an iterator of a loop is that iterator alone, and has no pad. Of bounds all indices are loops'.
ir::Block inRounds(Builder& builder, const Rounds& rounds);

// Before that: a tile that is made element by element of another, which nothing reads any more, takes its place.
void reuseTiles(const ir::Kernel& kernel, Rounds& rounds);

}  // namespace einc::transforms
