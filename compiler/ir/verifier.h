// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The verifier's inside: one kernel, what is in scope, and what was found. The checks are in four
// files: names and signature (verify.cpp), expressions (verify_value.cpp), structured ops
// (verify_op.cpp), statements and data flow (verify_block.cpp).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/verify.h"

namespace einc::ir {

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel);
  std::vector<Violation> run();

 private:
  // Where a value stands, which decides what it may refer to.
  enum class Place { Payload, Pad, Statement };

  // verify.cpp
  void report(Rule rule, std::string text);
  void checkIdentifier(const std::string& name);
  void checkNames();
  void checkSignature();
  // The number of elements if it is in bounds; of a list, 1.
  static std::optional<int64_t> boundedCount(const Attribute& attribute);
  void checkAttribute(const Attribute& attribute);
  void checkTensor(const Tensor& tensor);
  std::string tensorName(unsigned tensor) const;

  // verify_value.cpp
  bool isKnownSymbol(const std::string& symbol) const;
  void checkIndex(const affine::Expr& index);
  bool checkElement(unsigned tensor, const std::vector<affine::Expr>& index);
  void checkValue(const ValueRef& value, Place place);
  void checkNode(const Value& value, Place place);
  void checkLiteral(ScalarType type, const Number& number);
  void checkAttributeRef(ScalarType type, const AttributeRef& reference);
  void checkCall(ScalarType type, const Call& call);
  void checkOperandRef(ScalarType type, const OperandRef& reference, Place place);
  void checkLoad(ScalarType type, const Load& load, Place place);
  void checkVariable(ScalarType type, const Variable& variable, Place place);
  // The value is of a tensor's element type.
  void checkTensorType(const ValueRef& value, unsigned tensor);

  // verify_op.cpp
  void checkOp(const StructuredOp& op);
  bool checkOperands(const StructuredOp& op);
  void checkOutputs(const StructuredOp& op);
  void checkResults(const StructuredOp& op);
  void checkOpFlow(const StructuredOp& op);

  // verify_block.cpp
  void checkBlock(const Block& block);
  void checkStatement(const Stmt& stmt);
  void checkLevel(const Stmt& stmt);
  void checkFor(const For& loop);
  void checkLet(const Let& let, std::vector<std::string>& declared);
  void checkAssign(const Assign& assign);
  void checkStore(const Store& store);
  void checkAlloc(const Alloc& alloc);
  void enterIterator(const std::string& name);
  void use(unsigned tensor);
  void read(unsigned tensor);
  void write(unsigned tensor);
  void checkAfterwards();

  const Kernel& kernel_;
  std::vector<Violation> found_;
  SourceRange where_;

  std::set<std::string> sizes_;      // size symbols
  std::set<std::string> iterators_;  // in scope
  std::map<std::string, ScalarType> variables_;
  const StructuredOp* op_ = nullptr;  // around the value
  std::set<unsigned> operandsRead_;   // by the op's results
  unsigned loops_ = 0;                // around the statement
  std::vector<bool> allocated_, written_, missedAlloc_;
};

}  // namespace einc::ir
