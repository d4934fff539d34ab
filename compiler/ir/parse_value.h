// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The expressions of IR text, and the names that they may use.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/token_stream.h"

namespace einc::ir {

// What names stand for at one place in a kernel.
struct Scope {
  std::unordered_map<std::string, unsigned> tensors, attributes;
  std::unordered_set<std::string> sizes;
  bool anySize = false;  // in the signature, a name that stands for nothing yet is a size
  std::unordered_map<std::string, unsigned> iterators;  // how many loops around have that name
  std::unordered_map<std::string, std::vector<ScalarType>> variables;  // the innermost last
  std::unordered_map<std::string, ValueRef> arguments;                 // of the payload
};

class ValueParser {
 public:
  ValueParser(TokenStream& in, const Kernel& kernel, const Scope& scope)
      : in_(in), kernel_(kernel), scope_(scope) {}

  // After an error: zero, null, empty.
  affine::Expr index();
  affine::Expr size();
  ValueRef value();
  // "%A[m, k]"
  struct Element {
    unsigned tensor = 0;
    std::vector<affine::Expr> index;
  };
  Element element();
  unsigned tensor();
  unsigned namedTensor();  // after its "%"
  // The value behind "pad", or null if there is none.
  ValueRef pad();
  // The axis behind "unit", or nothing.
  std::string unit();

 private:
  affine::Expr term(bool negative);
  affine::Expr factor(bool& negative);
  affine::Expr checked(affine::Expr expr);
  affine::Expr symbol();
  ValueRef literal(bool negative);
  ValueRef specialLiteral(bool negative);
  ValueRef word();
  ValueRef named();
  ValueRef attribute(unsigned id);
  ValueRef call();
  ValueRef cast();
  ValueRef reduce();
  ValueRef shuffle();
  ValueRef block(const Instruction& instruction);
  ValueRef instruct(Instruct result);
  void failUnknown(const std::string& what, const Token& name, std::vector<std::string> known);

  TokenStream& in_;
  const Kernel& kernel_;
  const Scope& scope_;
  unsigned indexDepth_ = 0, valueDepth_ = 0;
};

}  // namespace einc::ir
