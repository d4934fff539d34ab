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
// Elements may be moved. An operand of the same bits that counts from another number is moved by half
// the range (i8 as u8: 128 is added), and the payload may subtract a number from each, a zero point: x
// is x' - s, of the element x' of a word. So
//
//   (a' - s) * (b' - t), summed over K terms, is a' * b' - s * sum of b' - t * sum of a' + K * s * t
//
// and sums of a' and b' are made once for each panel. That is exact, as sums of integers wrap.
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
  size_t inputs[2];      // of the op: the instruction's a and b
  bool isMoved[2] = {};  // by half the range
  // By how much more elements of words are than what is multiplied, of the type of the sum; null: they are
  // the same.
  ir::ValueRef shifts[2] = {};

  // Whether the op's input is a or b: 0 or 1.
  size_t side(size_t input) const { return input == inputs[0] ? 0 : 1; }
  // Whether sums of the input's words are taken from results.
  bool isSummed(size_t input) const { return shifts[1 - side(input)] != nullptr; }
};

bool has(const target::Target& target, const ir::Instruction& instruction);

// How the op's payload is the instruction's term; nothing, if it is another.
std::optional<Instructed> instructed(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                     const ir::Instruction& instruction);
// By the best instruction that the target has. With `keepsOrder` floats are added as the spec says.
std::optional<Instructed> instructed(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                     const target::Target& target, bool keepsOrder);
bool isAllowed(const ir::Instruction& instruction, bool keepsOrder);

// Whether neighbours of such a type in memory are a word, moved or not, as the instruction reads it on each lane.
bool isWordInMemory(const Instructed& by, ir::ScalarType element);

// A word of the op's input, of these elements in the order of the sum.
ir::ValueRef wordOf(const Instructed& by, size_t input, std::vector<ir::ValueRef> elements);
// The same of what lies in memory as one integer, of elements of such a type.
ir::ValueRef wordOf(const Instructed& by, size_t input, const ir::ValueRef& neighbours,
                    ir::ScalarType element);

// The payload on words of both inputs: what is added to the sum.
ir::ValueRef productsOf(const Instructed& by, const ir::ValueRef& a, const ir::ValueRef& b);
// What a word adds to the sum of the input's elements; and what is taken from results for such a sum, of so
// many terms.
ir::ValueRef elementsOf(const Instructed& by, size_t input, const ir::ValueRef& word);
ir::ValueRef takenOf(const Instructed& by, size_t input, const ir::ValueRef& sum,
                     const affine::Expr& terms);
// What is read as the element 0 of a word.
ir::ValueRef zeroOf(const Instructed& by, size_t input, ir::ScalarType type);

}  // namespace einc::strategy
