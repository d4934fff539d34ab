// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   scratch (m: 8, n: 48) in pieces of 16 { vectorize (m: 8, n: 48) }
#pragma once

#include <cstdint>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// The steps on a tile of memory that is whole and contiguous, from which what there is of it goes to
// the outputs: as rows, transposed, or in pieces, as it suits how these lie.
//
//   before  op (m: parallel, n: parallel, k: reduction) ... outs(%C[m, n])      scratch (m: 4, n: 16) { ... }
//   after   alloc %scratch: tensor<4 x 16 x f32> in stack, of the neutral element
//           what the steps make of op (...) ... outs(%scratch[m, n])
//           op (m: parallel, n: parallel) ins(%part[m, n]) outs(%C[m, n]) { add(c, part) }
struct ScratchStep {
  static constexpr const char* kVerb = "scratch";
  static constexpr bool kInRegion = true;
  static constexpr bool kForCpus = true;
  ir::Axis rows, columns;
  int64_t piece = 1;  // of a row, which may be contiguous without all of it
  Steps body;

  bool operator==(const ScratchStep&) const = default;
  void describe(Syntax& text) {
    text.word("(").axis(rows).word(",").axis(columns).word(")").pieces(piece).steps(body);
  }
};

ir::Block apply(const Work& work, At here, const ScratchStep& step);

}  // namespace einc::strategy
