// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   spread m over 4 as m_line      m = m_line * (m / 4) + m
#pragma once

#include <cstdint>
#include <string>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// iterator = name * (extent / over) + iterator: `over` places, as far apart as can be. The extent is
// a multiple of `over`.
//
//   before  op (m: parallel) ins(%A[m])                                spread m over 4 as m_place
//   after   view %A_lines = (m, m_place) -> %A[m + m_place * (M floordiv 4)]
//           op (m: parallel, m_place: parallel) ins(%A_lines[m, m_place])
struct SpreadStep {
  static constexpr const char* kVerb = "spread";
  std::string iterator;
  int64_t over;
  std::string name;

  bool operator==(const SpreadStep&) const = default;
  void describe(Syntax& text) {
    text.iterator(iterator).word("over").integer(over).word("as").name(name);
  }
};

ir::Block apply(const Work& work, At here, const SpreadStep& step);

}  // namespace einc::strategy
