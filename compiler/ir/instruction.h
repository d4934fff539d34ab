// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Instructions of targets that carry their meaning (target/instructions.def): those that add several
// products to each lane at once. In payloads, and in vectors, one stands as ir::Instruct:
//
//   vpdpbusd(c, a, b)    c + a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3
//
// a and b are words of several elements, i32 or i64. One that multiplies matrices adds to the lanes of a block, of which
// each has its own pair of words:
//
//   smmla[n, h](c, a, b)    c00 += a0 . b0, c01 += a0 . b1, c10 += a1 . b0, c11 += a1 . b1
//
// c lies along n, of 4 lanes, the words along h, of 2. Without axes it is on the words of each lane, as the others are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/target/features.h"

namespace einc::ir {

struct Instruction {
  // In C, on so many lanes, for each compiler.
  struct Text {
    int64_t lanes;
    std::string_view clang, gcc;
  };

  // What it means is done in steps, on a list of numbers: a's elements, b's, c, which the result
  // takes the place of, and those in between. A step's operands and result are places in it.
  struct Step {
    ValueRef value;
    std::vector<size_t> operands;
    size_t result;
  };

  std::string_view name;
  target::Features features;  // each of which has it
  int cost;                   // vector instructions
  ScalarType sum;             // of c, and of the result
  ScalarType elements[2];     // of a and b
  ScalarType operands[2];     // that it is used for: these, or of no more bits
  unsigned count;             // of elements in a word
  unsigned side;              // of the block that it adds to; 1: it is on single lanes
  bool runsBackwards;         // term k is of the element count - 1 - k of each word
  std::vector<Step> meaning;  // of the first lane of a block
  size_t places;              // of the list
  ValueRef term;              // over operands: an element of a, one of b, c
  std::vector<Text> texts;

  // The element of a word that term k reads.
  unsigned place(unsigned k) const { return runsBackwards ? count - 1 - k : k; }
  ScalarType word() const;
  const Text* textOf(int64_t lanes) const;
};

// The kernel that a row of the table spells as its meaning.
Kernel kernelOfRow(std::string_view row);

// Those of the table, in its order.
const std::vector<Instruction>& allInstructions();
const Instruction* findInstruction(std::string_view name);

// One that stands in the kernel, its contract left out; or null.
const Instruction* instructionIn(const Kernel& kernel);

// What it computes of c and two words.
Number apply(const Instruction& instruction, const Number& c, const Number& a, const Number& b);

// A word of 64 bits, of its halves, i32; and such halves, where a value is made of two.
ValueRef joinedHalves(const ValueRef& low, const ValueRef& high);
std::vector<ValueRef> halvesIn(const ValueRef& value);

}  // namespace einc::ir
