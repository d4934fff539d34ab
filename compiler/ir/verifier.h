// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The verifier's inside: one kernel, what is in scope, and what was found. The checks are in seven
// files: names and signature (verify.cpp), expressions (verify_value.cpp), structured ops
// (verify_op.cpp), statements and data flow (verify_block.cpp),
// what stands below the structured levels (verify_tiled.cpp), calls (verify_library.cpp), code for
// devices (verify_device.cpp).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/in_scope.h"
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
  void checkContract();
  // The number of elements if it is in bounds; of a list, 1.
  static std::optional<int64_t> boundedCount(const Attribute& attribute);
  void checkAttribute(const Attribute& attribute);
  void checkTensor(const Tensor& tensor);
  void checkShape(const Tensor& tensor);
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
  void checkCombiner(const StructuredOp& op);
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
  void checkOver(const Alloc& alloc);
  void enterSize(const std::string& name);
  bool isOfElements(const affine::Expr& e) const;

  // verify_tiled.cpp
  void checkTiled(const Stmt& stmt);
  void checkRead(const Read& element);
  void checkView(const View& view);
  void checkOffsets(const Offsets& offsets);
  void checkLine(unsigned tensor, unsigned dim, int64_t bytes);
  void checkNonTemporal(const NonTemporal& region);
  void checkTile(const TileLoop& loop);
  void checkIf(const If& test);
  void checkOutline(const Outline& outline);
  void checkPositions(Rule rule, const std::vector<Axis>& axes);
  void checkRegion(const Vector& region);
  void checkTranspose(const Transpose& transpose);
  void checkAssumeNumbers(const AssumeNumbers& assume);
  void checkCheckNumbers(const CheckNumbers& check);

  // verify_device.cpp
  void checkDispatch(const Dispatch& dispatch);
  void checkBarrier();
  // Around the body of a loop.
  void enterPlace(On on, IteratorKind kind, const std::string& var, const affine::Expr& count);
  void leavePlace(On on);
  bool isOn(bool (*places)(On)) const;  // whether a loop of the dispatch around is
  void checkBeside(const Block& block);
  void checkComputes(const std::string& what);
  void checkDeviceAlloc(const Alloc& alloc);
  void checkRegisters(unsigned tensor, const std::vector<affine::Expr>& index);
  void checkLibrary(const LibraryCall& call);
  void checkLetters(const LibraryCall& call);
  void checkExternal(const ExternalCall& call);
  void checkArgument(const Argument& argument);
  // Where the statement stands: the kernel's level, or that of an external call's body.
  Level level() const { return external_ ? Level::Buffers : kernel_.level; }
  static std::set<std::string> iteratorsOf(const Operand& operand);
  void checkCopied(const StructuredOp& op);
  void checkOpAxes(const StructuredOp& op);
  void checkFree(const affine::Expr& expr);
  void checkUnit(const std::string& unit, const std::vector<affine::Expr>& index);
  void checkReduce(const Reduce& reduce);
  void checkShuffle(const Shuffle& shuffle);
  void checkInstruct(ScalarType type, const Instruct& instruct);
  int64_t sizeOfAxis(const std::string& name) const;
  // Of the region's axes of registers.
  size_t lanesAmong(const std::set<std::string>& axes) const;  // 0: no axis around
  // The axes on which a value depends.
  std::set<std::string> axesOf(const ValueRef& value) const;
  void checkCovered(const ValueRef& value, const std::vector<std::string>& axes,
                    const std::string& what);
  void enterIterator(const std::string& name);
  void use(unsigned tensor);
  void read(unsigned tensor);
  void write(unsigned tensor);
  void checkCarried();
  unsigned rootOf(unsigned tensor) const;  // what a view is part of
  void checkAfterwards();

  const Kernel& kernel_;
  std::vector<Violation> found_;
  SourceRange where_;

  InScope<std::string> sizes_;        // size symbols
  std::set<std::string> ofElements_;  // those that elements say
  InScope<std::string> iterators_;
  std::map<std::string, ScalarType> variables_;
  std::map<std::string, std::vector<std::string>> variableAxes_;
  const Vector* region_ = nullptr;                  // around the statement
  const Dispatch* dispatch_ = nullptr;              // around the statement
  std::vector<std::pair<On, std::string>> places_;  // loops in it, outermost first
  std::set<std::string> dispatches_;                // names so far
  std::map<unsigned, Space> spaces_;                // of allocs so far, in dispatches
  bool assumesNumbers_ = false;                     // in the first block of assume_numbers
  const ExternalCall* external_ = nullptr;          // around the statement
  std::vector<bool> allocatedOutside_;              // of it
  std::set<std::string> outlines_;                  // names so far
  std::set<std::string> outerVariables_;            // those from outside the function around
  InScope<unsigned> inScope_;                       // views, and locals below the structured levels
  std::set<unsigned> paddedViews_;
  std::set<unsigned> quotientTables_;   // of the offsets before, each of which has its own
  std::map<unsigned, unsigned> bases_;  // of views
  const StructuredOp* op_ = nullptr;    // around the value
  std::set<unsigned> operandsRead_;     // by the op's results
  unsigned loops_ = 0;                  // around the statement
  unsigned threads_ = 0;                // those on threads
  InScope<std::string> sizesOutsideLoops_;
  std::vector<bool> allocated_, written_, missedAlloc_;
  // Of allocs in the heap: the block, and how many of `sizes_` are known where the memory begins.
  struct Piece {
    const Block* block;
    size_t sizes;
  };
  std::map<unsigned, Piece> pieces_;
  std::set<unsigned> gone_;       // another is over them
  const Block* block_ = nullptr;  // around the statement
  // Read in tiles of the reductions around the statement before anything in the text writes them.
  std::vector<std::set<unsigned>> fromBefore_;
};

}  // namespace einc::ir
