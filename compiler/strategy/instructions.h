// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which instruction adds an op's products (target/instructions.def), and how its operands become that
// instruction's words.
//
//   before  op (m, n: parallel, k: reduction) ins(%A[m, k], %B[k, n]) outs(%C[m, n])       i8, i8, i32
//               { (a, b, c) -> add(c, mul(cast<i32>(a), cast<i32>(b))) }
//   after   op (m, n: parallel, p: reduction) ins(%A_words[m, p], %B_words[p, n]) outs(%C[m, n])
//               { (a, b, c) -> add(c, vpdpbusd(0_i32, a, b)) }
//
// Of an operand of the same bits that counts from another number (i8 for u8) half the range is taken
// away, or added: a * b = a' * b + d * b. Sums of d * b are made once for each panel of b, and added.
// That is exact, as sums of integers wrap.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/ir/instruction.h"
#include "compiler/ir/ir.h"
#include "compiler/support/result.h"
#include "compiler/target/target.h"

namespace einc::strategy {

struct Instructed {
  const ir::Instruction* instruction;
  size_t inputs[2];             // of the op: the instruction's a and b
  std::optional<size_t> moved;  // of these two the one that counts from another number

  // Whether the op's input is a or b: 0 or 1.
  size_t side(size_t input) const { return input == inputs[0] ? 0 : 1; }
  bool isMoved(size_t input) const { return moved && inputs[*moved] == input; }
};

bool has(const target::Target& target, const ir::Instruction& instruction);

// How the op's payload is the instruction's term; nothing, if it is another.
std::optional<Instructed> instructed(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                     const ir::Instruction& instruction);
// By the first instruction that the target has. With `keepsOrder` floats are added as the spec says.
std::optional<Instructed> instructed(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                     const target::Target& target, bool keepsOrder);
bool isAllowed(const ir::Instruction& instruction, bool keepsOrder);

// A word of the op's input, of these elements in the order of the sum. As an i32.
ir::ValueRef wordOf(const Instructed& by, size_t input, std::vector<ir::ValueRef> elements);
// The same of what lies in memory as one integer, of elements of such a type.
ir::ValueRef wordOf(const Instructed& by, size_t input, const ir::ValueRef& neighbours,
                    ir::ScalarType element);

// The payload on words of both inputs: what is added to the sum.
ir::ValueRef productsOf(const Instructed& by, const ir::ValueRef& a, const ir::ValueRef& b);
// What a word of the input that is not moved takes from the sums.
ir::ValueRef movedProductsOf(const Instructed& by, const ir::ValueRef& word);

}  // namespace einc::strategy
