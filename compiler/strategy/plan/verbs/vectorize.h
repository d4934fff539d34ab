// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   vectorize (m: 4, n: 64) ahead n 128 fit n early variant unrolled (k) own n 128
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Virtual vectors along these iterators, none of which has more positions than its axis. Along a
// reduction each lane has a partial result.
//
//   before  op (m: parallel) ins(%A[m]) outs(%B[m])                    vectorize (m: 64)
//   after   op (m: parallel) ins(%A[m]) outs(%B[m]) vector (m: 64)
struct VectorizeStep {
  static constexpr const char* kVerb = "vectorize";
  static constexpr bool kInRegion = true;
  static constexpr bool kEndsList = true;
  std::vector<ir::Axis> axes;
  std::optional<ir::Ahead> ahead = {};  // of inputs: what is asked for early
  std::string fit = {};  // only as many vectors along this axis as there are positions for
  bool early = false;    // outputs are asked for before the sum that is added to them
  bool variant = false;  // beside others that differ in the sizes of their axes alone
  // Reductions of a known number of positions, each of which is code of its own: what several read alike is
  // then read once.
  std::vector<std::string> unrolled = {};
  std::optional<ir::Ahead> own = {};  // of outputs: what is to be written soon

  bool operator==(const VectorizeStep&) const = default;
  void describe(Syntax& text) {
    text.axes(axes).ahead(ahead);
    if (text.option("fit", !fit.empty())) text.iterator(fit);
    text.flag("early", early).flag("variant", variant);
    if (text.option("unrolled", !unrolled.empty())) text.word("(").iterators(unrolled).word(")");
    text.own(own);
  }
};

ir::Block apply(const Work& work, At here, const VectorizeStep& step);

}  // namespace einc::strategy
