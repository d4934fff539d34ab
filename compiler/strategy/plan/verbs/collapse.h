// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   collapse n, oh, ow as m
//   tables m
#pragma once

#include <string>
#include <vector>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Iterators as one, of which the last runs fastest. They are parallel, or all are reductions.
//
//   before  op (m: parallel, n: parallel) ins(%A[m, n]) outs(%C[m, n])
//           collapse m, n as x
//   after   view %A_m: tensor<M * N> = (m) -> %A[m floordiv N, m mod N]   view %C_m ...
//           op (m: parallel) ins(%A_m[m]) outs(%C_m[m])                   steps call it x
struct CollapseStep {
  static constexpr const char* kVerb = "collapse";
  std::vector<std::string> iterators;
  std::string name;  // the one

  bool operator==(const CollapseStep&) const = default;
  void describe(Syntax& text) { text.iterators(iterators).word("as").name(name); }
};

// Where positions along a collapsed iterator lie in memory is looked up, not computed.
struct TablesStep {
  static constexpr const char* kVerb = "tables";
  static constexpr bool kForCpus = true;
  std::string iterator;

  bool operator==(const TablesStep&) const = default;
  void describe(Syntax& text) { text.iterator(iterator); }
};

ir::Block apply(const Work& work, At here, const CollapseStep& step);
ir::Block apply(const Work& work, const At& here, const TablesStep& step);

}  // namespace einc::strategy
