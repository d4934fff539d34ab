// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops at one position of what they have in common, and some neighbours of it in a vector: what they leave for each other stays
// in registers, or in a few lines of the first cache. For those that do so many things at each position as are known to be few:
// small matrices, colours, complex numbers.
//
//   before  fused {
//             op (j: parallel, x: parallel, c: parallel) ins(%I[x, c], %I[x + 1, c]) outs(%L[j, x, c]) { ... }
//             op (x: parallel, c: parallel) ins(%L[0, x, c], %L[1, x, c]) outs(%V[x, c]) { add(l, l1) }
//           }
//   steps   when contiguous(I, c) and contiguous(V, c) {
//             tile x by 1
//             tile c by 16
//             keep (c: 16) of L on stack
//             when c == 16 {
//               fuse op 0 by { vectorize (j: 2, c: 16) }
//               fuse op 1 by { vectorize (c: 16) }
//             } otherwise { ... }            the same
//           }
// Where an input lies along another of the shared iterators, squares of neighbours are done at once, which it is read in and
// turned.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/shared_iterators.h"

namespace einc::strategy {

struct InRegisters {
  std::vector<Test> tests;  // what has to hold
  Steps steps;
  bool isSeveral = false;  // of a tensor several elements are left at a position
};

// Ops that have iterators in common, the first of which is number `first`; none, where they leave nothing for each other, or
// what they do at a position is not known to be little.
std::optional<InRegisters> inRegisters(const ir::Kernel& kernel, const Ops& ops, size_t first,
                                       const ScheduleOptions& options);

}  // namespace einc::strategy
