// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What MLIR text is made of: SSA names of one function, and blocks of operations.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/types.h"
#include "compiler/support/text_writer.h"

namespace einc::emit::mlir {

// The type of a value: "i1", "i8" (for signed and unsigned alike), "bf16", "f32".
std::string typeName(ir::ScalarType type);

// The type of an element in memory. That is one byte for a bool, any but 0 meaning true.
std::string storageType(ir::ScalarType type);

// The names of one function's values. No name stands twice in a function.
class ValueNames {
 public:
  // "%wanted", with a number behind it if that is taken.
  std::string make(const std::string& wanted);

 private:
  std::set<std::string> taken_;
  std::map<std::string, unsigned> last_;  // the numbers given so far
};

// Operations in order. Values of the enclosing block are visible.
class Block {
 public:
  // Lines begin after `depth` steps of indentation.
  Block(ValueNames& names, unsigned depth, const Block* outer = nullptr);

  // Writes "%wanted = op", an operation without side effects, and returns the value's name. One
  // that stands already is not written again.
  std::string value(const std::string& wanted, const std::string& op);
  // The same for an operation of several lines, whose last are written by the caller.
  std::string open(const std::string& wanted, const std::string& op);

  std::string constant(ir::ScalarType type, const ir::Number& number);
  std::string integer(ir::ScalarType type, int64_t number);
  std::string real(ir::ScalarType type, double number);
  std::string index(int64_t number);

  std::string name(const std::string& wanted) { return names_.make(wanted); }
  TextWriter& text() { return text_; }
  std::string take() { return text_.take(); }

 private:
  ValueNames& names_;
  const Block* outer_;
  std::map<std::string, std::string> known_;  // op -> the name of its value
  TextWriter text_;
};

}  // namespace einc::emit::mlir
