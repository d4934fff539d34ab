// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   vectorize (m: 4, n: 64) ahead n 128 fit n early variant
//   accumulate (n: 64) ahead n 128
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Virtual vectors along these iterators, none of which has more positions than its axis. Along a
// reduction each lane has a partial result.
struct VectorizeStep {
  static constexpr const char* kVerb = "vectorize";
  static constexpr bool kEndsList = true;
  std::vector<ir::Axis> axes;
  std::optional<ir::Ahead> ahead = {};  // of inputs: what is asked for early
  std::string fit = {};  // only as many vectors along this axis as there are positions for
  bool early = false;    // outputs are asked for before the sum that is added to them
  bool variant = false;  // beside others that differ in the sizes of their axes alone

  bool operator==(const VectorizeStep&) const = default;
  void describe(Syntax& text) {
    text.axes(axes).ahead(ahead);
    if (text.option("fit", !fit.empty())) text.iterator(fit);
    text.flag("early", early).flag("variant", variant);
  }
};

// Along a reduction by a combiner that is no function: a result in memory for each of `width` lanes,
// combined at the end.
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

ir::Block apply(const Work& work, At here, const VectorizeStep& step);
ir::Block apply(const Work& work, At here, const AccumulateStep& step);

}  // namespace einc::strategy
