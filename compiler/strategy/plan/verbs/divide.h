// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   split n by 64 as n_block       n = n_block * 64 + n
//   spread m over 4 as m_line      m = m_line * (m / 4) + m
#pragma once

#include <cstdint>
#include <string>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// iterator = name * by + iterator. The extent is a multiple of `by`.
struct SplitStep {
  static constexpr const char* kVerb = "split";
  std::string iterator;
  int64_t by;
  std::string name;

  bool operator==(const SplitStep&) const = default;
  void describe(Syntax& text) {
    text.iterator(iterator).word("by").integer(by).word("as").name(name);
  }
};

// iterator = name * (extent / over) + iterator: `over` places, as far apart as can be. The extent is
// a multiple of `over`.
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

ir::Block apply(const Work& work, At here, const SplitStep& step);
ir::Block apply(const Work& work, At here, const SpreadStep& step);

}  // namespace einc::strategy
