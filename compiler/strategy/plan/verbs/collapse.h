// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   collapse n, oh, ow as m
#pragma once

#include <string>
#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Iterators as one, of which the last runs fastest. They are parallel, or all are reductions. An input that has some of
// them is the same for positions of the others.
//
//   before  op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n])
//           collapse m, n as x
//   after   view %A_m: tensor<M * N> = (m) -> %A[m floordiv N, m mod N]   view %C_m ...
//           op (m: parallel) ins(%A_m[m]) outs(%C_m[m])                   steps call it x
struct CollapseStep {
  static constexpr const char* kVerb = "collapse";
  static constexpr bool kInRegion = true;
  std::vector<std::string> iterators;
  std::string name;  // the one

  bool operator==(const CollapseStep&) const = default;
  void describe(Syntax& text) { text.iterators(iterators).word("as").name(name); }
};

ir::Block apply(const Work& work, At here, const CollapseStep& step);

}  // namespace einc::strategy
