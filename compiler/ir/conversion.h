// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Instructions of targets that convert each lane (target/instructions.def). In IR there are casts alone: one is written in C
// by the row whose meaning it is.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/ir/instruction.h"
#include "compiler/ir/ir.h"
#include "compiler/target/features.h"

namespace einc::ir {

struct Conversion {
  std::string_view name;
  target::Features features;  // each of which has it
  std::string_view
      hidden;  // the constraint of a register that hides results from compilers; empty: they may see them
  ScalarType from, to;
  ValueRef meaning;  // over an operand
  std::vector<Instruction::Text> texts;

  const Instruction::Text* textOf(int64_t lanes) const;
  // Of the numbers of lanes that have a text the least that is no less; null: all are less.
  const Instruction::Text* textOfMore(int64_t lanes) const;
};

// Those of the table, in its order.
const std::vector<Conversion>& allConversions();

// The first that a target with such features has whose meaning is a cast from one type to the other, no more and no less;
// or null.
const Conversion* findConversion(ScalarType from, ScalarType to, target::Features features);

}  // namespace einc::ir
