// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Sums of products along what both inputs are contiguous in, by an instruction that adds several at once: vectors of its
// words, which are read where they are.
//
//   when k mod 4 == 0 {
//     words A along k for vpdpbusd
//     words x along k for vpdpbusd
//     cut k at (k floordiv 32) * 32 {
//       split k by 32 as k_block
//       vectorize (m: 4, k: 32)
//     } rest { vectorize (m: 4, k: 32) }
//   } otherwise {
//     cut k at (k floordiv 4) * 4 { the same } rest { vectorize (m: 4, k: 32) }      of elements
//   }
//
// Without masks all vectors are whole, and what is left is done otherwise.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/instructions.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/support/result.h"

namespace einc::strategy {

// What it refers to is to outlive it.
class WordsAlong {
 public:
  // A reduction of the op, which adds up products alone. Or why there are no such words.
  static Result<WordsAlong> of(const ir::Kernel& kernel, const ir::StructuredOp& op,
                               const std::vector<OperandName>& names,
                               const ScheduleOptions& options, const std::string& axis);

  int64_t terms() const { return by_.instruction->count; }

  struct Sums {
    std::optional<int64_t> terms;  // if it is known
    std::vector<ir::Axis> others;  // that vectors have besides
    int64_t vectors;               // along the axis, at once
    std::string block;             // what they are called
    std::optional<ir::Ahead> ahead;
  };
  // Steps where both inputs are known to be contiguous. Without masks `rest` is what is left.
  Steps steps(const Sums& sums, const Steps& rest) const;

 private:
  WordsAlong(const Instructed& by, const std::vector<OperandName>& names,
             const target::Target& target, const std::string& axis);

  Steps whole(const Sums& sums) const;
  Steps wholeAnd(const affine::Expr& at, Steps first, Steps rest) const;
  Steps inVectors(const Sums& sums) const;
  Steps withMasks(const Sums& sums) const;
  Steps inWords(Steps steps) const;
  Step vectors(const Sums& sums, bool isAhead) const;

  Instructed by_;
  const std::vector<OperandName>& names_;
  const target::Target& target_;
  std::string axis_;
  int64_t lanes_;
};

}  // namespace einc::strategy
