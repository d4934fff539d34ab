// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Payload values and index expressions as C expressions.
//
// In C, an f16 or bf16 value is a float that such a type can hold, a bool is an int that is 0 or 1;
// all other types are themselves. What C leaves open (overflow, shifts, NaN, rounding to the narrow
// types) goes through functions of the prelude.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/emit/c/prelude.h"
#include "compiler/emit/text/expressions.h"
#include "compiler/emit/text/test.h"
#include "compiler/ir/ir.h"

namespace einc::emit {

// What values refer to, by their C names.
struct ValueNames {
  std::function<std::string(const affine::Atom&)> index;          // iterators, sizes, attributes
  std::function<std::string(const ir::AttributeRef&)> attribute;  // a variable of valueType
  std::function<std::string(const std::string&)> variable;
  // A tensor's element in memory, and whether the position lies inside the tensor.
  std::function<std::string(unsigned, const std::vector<affine::Expr>&)> element;
  std::function<Test(unsigned, const std::vector<affine::Expr>&)> inside;
  // The element, where it is only read if the position lies inside; none: the same.
  std::function<std::string(unsigned, const std::vector<affine::Expr>&)> testedElement = nullptr;
  // Whether the kernel alone writes a tensor's memory; none: no tensor's.
  std::function<bool(unsigned)> isLocal = nullptr;
  // A quotient or rest of index expressions, where it is not the prelude's function of that name;
  // none: never.
  std::function<std::string(const std::string&, const affine::Expr&, const affine::Expr&)>
      quotient = nullptr;
  // The target's own function from a number of one type, or an element of 16 bits, to another, rounded once; empty, or none:
  // it has none.
  std::function<std::string(ir::ScalarType from, ir::ScalarType to)> convert = nullptr;
  // The target's own of a function of mathematics on floats or doubles; empty, or none: it is the prelude's.
  std::function<std::string(const ir::FunctionInfo&, ir::ScalarType)> ownFunction = nullptr;
  // An instruction's sum of products, of expressions; none: there are none.
  std::function<std::string(const ir::Instruction&, const std::vector<std::string>&)> instruct =
      nullptr;
};

// The C type that holds a value of the type in a variable.
std::string valueType(ir::ScalarType type);

class ValuePrinter {
 public:
  ValuePrinter(const ValueNames& names, Prelude& prelude) : names_(names), prelude_(prelude) {}

  std::string value(const ir::ValueRef& value) const;
  // The expression that a stored element of this type gets from a value, and the other way.
  std::string toStorage(ir::ScalarType type, const std::string& value) const;
  std::string toStorage(const ir::ValueRef& value) const;
  std::string fromStorage(ir::ScalarType type, const std::string& element) const;
  std::string index(const affine::Expr& expr) const;
  // A call or cast of arguments that are C expressions already; `types` has values of their types.
  std::string callText(ir::ScalarType type, ir::Function function,
                       const std::vector<ir::ValueRef>& types, std::vector<std::string> args) const;
  std::string castText(ir::ScalarType to, ir::ScalarType from, const std::string& value) const;

  // A float, as an expression, rounded to a type of 16 bits.
  std::string rounded(ir::ScalarType type, const std::string& value) const;

  // A function of the prelude.
  std::string function(const std::string& chunk) const { return prelude_.need(chunk); }

 private:
  std::string literal(ir::ScalarType type, const ir::Number& number) const;
  std::string call(ir::ScalarType type, const ir::Call& call) const;
  std::string floatCall(ir::ScalarType type, ir::Function f,
                        const std::vector<std::string>& a) const;
  std::string integerCall(ir::ScalarType type, ir::Function f,
                          const std::vector<std::string>& a) const;
  std::string load(ir::ScalarType type, const ir::Load& load) const;

  // The target's own conversion, or nothing.
  std::string converter(ir::ScalarType from, ir::ScalarType to) const {
    return names_.convert ? names_.convert(from, to) : "";
  }

  const ValueNames& names_;
  Prelude& prelude_;
};

}  // namespace einc::emit
