// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   accumulate (n: 64) ahead n 128
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Along a reduction by a combiner that is no function: a result in memory for each of `width` lanes,
// combined at the end. A target without vectors has loops over the lanes, which compilers make vectors of.
//
//   before  op (n: reduction) ins(%A[n]) outs(%S[])                    accumulate (n: 16)
//   after   op (n: parallel) outs(%lanes[n]) vector (n: 16)            the neutral element in each
//           op (n_block: reduction, n: parallel) ins(%A_blocks[n_block, n]) outs(%lanes[n]) vector (n: 16)
//           op ... vector (n: 8), (n: 4), (n: 2)                       halves, combined
//           op () ins(%lanes[0]) outs(%S[])
struct AccumulateStep {
  static constexpr const char* kVerb = "accumulate";
  static constexpr bool kForCpus = true;
  static constexpr bool kEndsList = true;
  std::string iterator;
  int64_t width;
  std::optional<ir::Ahead> ahead = {};

  bool operator==(const AccumulateStep&) const = default;
  void describe(Syntax& text) {
    text.word("(").iterator(iterator).word(":").integer(width).word(")").ahead(ahead);
  }
};

ir::Block apply(const Work& work, At here, const AccumulateStep& step);

}  // namespace einc::strategy
