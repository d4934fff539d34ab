// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   tables m
#pragma once

#include <string>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// Where positions along a collapsed iterator lie in memory is looked up, not computed.
//
//   before  op (m: parallel) ins(%A_m[m])                              tables m
//   after   alloc %A_m_offsets: tensor<64 x i64> in stack
//           offsets %A_m[0] in %A_m_offsets
//           op (m: parallel) ins(%A_m[m])
//
// So are the positions that it stands for, where the tests of what is outside ask for them.
struct TablesStep {
  static constexpr const char* kVerb = "tables";
  static constexpr bool kInRegion = true;
  static constexpr bool kForCpus = true;
  std::string iterator;

  bool operator==(const TablesStep&) const = default;
  void describe(Syntax& text) { text.iterator(iterator); }
};

ir::Block apply(const Work& work, const At& here, const TablesStep& step);

}  // namespace einc::strategy
