// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   split n by 64 as n_block       n = n_block * 64 + n
#pragma once

#include <cstdint>
#include <string>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// iterator = name * by + iterator. The extent is a multiple of `by`.
//
//   before  op (m: parallel) ins(%A[m])                                split m by 8 as m_block
//   after   view %A_blocks = (m_block, m) -> %A[m_block * 8 + m]
//           op (m_block: parallel, m: parallel) ins(%A_blocks[m_block, m])
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

ir::Block apply(const Work& work, At here, const SplitStep& step);

}  // namespace einc::strategy
