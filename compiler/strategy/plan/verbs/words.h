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
//
// Or that is read in words as well, and nothing is packed: along another iterator, if its words follow one another
// along that, or along the same one, if both inputs are contiguous along it. Then what is taken from sums, as an
// input is moved, is so word by word:
//
//   before  op (k: reduction) ins(%A[k], %x[k]) ...       words A along k for vpdpbusd words x along k for vpdpbusd
//   after   op (k: reduction) ins(%A_words[k], %x_words[k]) { ... -> add(y, vpdpbusd(0, a_words, x_words)) }
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
