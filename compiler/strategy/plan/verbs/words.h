// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   words A along k for vpdpbusd
#pragma once

#include <string>

#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// An instruction that adds several products at once (strategy/instructions.h) reads its words where the input
// has them: as neighbours in memory, of which there are whole words. The other input is packed for it.
//
//   before  op (n: parallel, k: reduction) ins(%A[k], %B[k, n]) ...         words A along k for vpdpbusd
//                                                                           pack B (n: 16) along k for vpdpbusd
//   after   outline pack_b { copies of %B to %packed_B, in words }          ... tile n by 16
//           view %A_words: tensor<K floordiv 4 x i32> = (k) -> %A[k * 4]
//           op (n: parallel, k: reduction) ins(%A_words[k], %packed_B_panel[k, n]) ...
struct WordsStep {
  static constexpr const char* kVerb = "words";
  static constexpr bool kInRegion = true;
  static constexpr bool kForCpus = true;
  OperandName operand;
  std::string along;
  std::string instruction;

  bool operator==(const WordsStep&) const = default;
  void describe(Syntax& text) {
    text.operand(operand).word("along").iterator(along).word("for").name(instruction);
  }
};

ir::Block apply(const Work& work, At here, const WordsStep& step);

}  // namespace einc::strategy
