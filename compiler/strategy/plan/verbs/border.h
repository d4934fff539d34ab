// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
//   border A
//   border A (c: 4)
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/syntax.h"

namespace einc::strategy {

// An input that is read outside its tensor is copied, with a border around it.
//
//   before  op (m: parallel, k: reduction) ins(%A[m + k - 1] pad 0.0) outs(%C[m])        border A
//   after   alloc %padded_A: tensor<M + 2 x f32>
//           outline pad_a { copies %A to it, with what lies outside }
//           op (m: parallel, k: reduction) ins(%padded_A[m + k]) outs(%C[m])
//
// With blocks there are so many positions of a reduction, or a multiple, in the copy, and in the sum of products: the
// other input is 0 at those that there were not.
//
//   before  op (m: parallel, c: reduction) ins(%A[m, c], %B[c]) ...                           border A (c: 4)
//   after   view %padded_B: tensor<4 x i8> = (c) -> %B[c] pad 0_i8                            c < 3
//           op (m: parallel, c: reduction) ins(%padded_A[m, c], %padded_B[c]) ...             c < 4
struct BorderStep {
  static constexpr const char* kVerb = "border";
  static constexpr bool kInRegion = true;
  static constexpr bool kForCpus = true;
  OperandName operand;
  std::optional<ir::Axis> blocks = {};

  bool operator==(const BorderStep&) const = default;
  std::vector<OperandName> copied() const { return {operand}; }
  void describe(Syntax& text) {
    text.operand(operand);
    if (text.option("(", blocks))
      text.iterator(blocks->name).word(":").integer(blocks->size).word(")");
  }
};

ir::Block apply(const Work& work, At here, const BorderStep& step);

}  // namespace einc::strategy
