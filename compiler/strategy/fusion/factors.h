// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A sum of products of integers, as its factors: each is an input's element, and a zero point that is the same for all terms
// of the sum.
//
//   sub(c, mul(sub(cast<i32>(a), 3_i32), cast<i32>(sub(cast<i16>(b), cast<i16>(z)))))
//       elements: sub(cast<i32>(a), 3_i32) and cast<i32>(b); zero points: none and -cast<i32>(z)
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::strategy {

// What is added, or, if it is negative, taken away; null: nothing.
struct Addend {
  ir::ValueRef value;
  bool isNegative = false;
};
ir::ValueRef plus(const ir::ValueRef& value, const Addend& addend);
// Negative where all of them are.
Addend sumOf(const std::vector<Addend>& addends);

struct Factor {
  ir::ValueRef element;  // an input's, and numbers that are added to it
  Addend zero;           // of other inputs
  unsigned input = 0;
  bool isNegative = false;  // of the product -(element + zero)
  bool isOther = false;     // it was written in another way
};

// What an op adds to its output, or takes from it.
struct Product {
  Factor factors[2];
  bool isNegative = false;
};

// Of an op with one output. Nothing, if its payload is something else, or as it should be: a sum without zero points.
std::optional<Product> productOf(const ir::StructuredOp& op);

bool isSummed(const ir::StructuredOp& op, const std::string& iterator);
// The operands that a value reads.
std::set<unsigned> operandsIn(const ir::ValueRef& value);

}  // namespace einc::strategy
