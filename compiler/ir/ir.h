// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The IR. A Kernel is a signature and a tree of statements; passes replace statements by lower
// ones. The same tree serves every level (compiler/README.md says which statement is for which):
//
//   tensors   StructuredOp on tensors; local tensors have no memory yet
//   buffers   the same; each local tensor has an Alloc before its first use
//   hardware  For, Let, Assign, Store and Alloc: what the emitters print
//
// Laws of a StructuredOp, kept by every pass:
//   1. Its operands alone give the iteration space: each iterator runs from 0 to the size of the
//      first operand dimension that it indexes alone (shape.h).
//   2. Maps are data, to be asked in both directions.
//   3. Iterator kinds are declared. Iterations that differ in a parallel iterator never write the
//      same element; those that differ only in reduction iterators do, in unspecified order,
//      each seeing the value the one before it left.
//   4. The payload is arbitrary scalar code without side effects.
//   5. It is one perfect nest. If an extent is zero, nothing is read or written.
//
// Ownership: statements own their blocks; payload values are immutable and shared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/ir/types.h"
#include "compiler/support/source.h"

namespace einc::ir {

// ---- Payload: scalar code as an immutable tree --------------------------------------------------

struct Value;
using ValueRef = std::shared_ptr<const Value>;

struct Literal {
  Number number;
};
// The element of an operand at this iteration. Operands count inputs first, then outputs; an output
// gives the value before the update.
struct OperandRef {
  unsigned operand;
};
// The value of an index expression, as an i64.
struct IndexRef {
  affine::Expr index;
};
// A scalar parameter, or element `element` (flat, row-major) of an attribute.
struct AttributeRef {
  unsigned attribute;
  int64_t element;
};
struct Call {
  Function function;
  std::vector<ValueRef> args;
};
// Conversion to the value's type. To float: one rounding to nearest even. Float to integer: toward
// zero, saturated at the ends, NaN to 0. Between integers: modulo 2^bits. To bool: x != 0.
struct Cast {
  ValueRef arg;
};
// One tensor element (hardware level). With `pad`, a position outside the tensor reads as `pad`.
struct Load {
  unsigned tensor;
  std::vector<affine::Expr> index;
  ValueRef pad;
};
// A scalar named by an enclosing Let (hardware level).
struct Variable {
  std::string name;
};

struct Value {
  ScalarType type;
  std::variant<Literal, OperandRef, IndexRef, AttributeRef, Call, Cast, Load, Variable> node;
};

template <typename Node>
ValueRef makeValue(ScalarType type, Node node) {
  return std::make_shared<const Value>(Value{type, std::move(node)});
}
ValueRef makeLiteral(ScalarType type, Number number);
ValueRef makeCall(Function function, std::vector<ValueRef> args);  // the type follows from args
ValueRef makeCast(ScalarType type, ValueRef arg);                  // arg itself if of that type

// Structural equality; literals by bits.
bool equal(const ValueRef& a, const ValueRef& b);

// Rebuilds the tree bottom-up: where `replace` gives a value, that stands for the node.
ValueRef rewrite(const ValueRef& value, const std::function<ValueRef(const ValueRef&)>& replace);
void forEach(const ValueRef& value, const std::function<void(const Value&)>& visit);  // pre-order

// ---- Statements ---------------------------------------------------------------------------------

enum class IteratorKind : uint8_t { Parallel, Reduction };

struct Iterator {
  std::string name;
  IteratorKind kind;
  bool operator==(const Iterator&) const = default;
};

struct Operand {
  unsigned tensor;                // index into Kernel::tensors
  std::vector<affine::Expr> map;  // one expression a dimension, over the op's iterators and symbols
  ValueRef pad;                   // inputs: the value read outside the tensor; null: never outside
  bool shapeOnly = false;         // inputs: gives iterators their extents, is never read
  SourceRange source = {};        // the access in the spec; not part of the text form
};

struct StructuredOp {
  std::vector<Iterator> iterators;  // in loop order: the first is outermost
  std::vector<Operand> inputs, outputs;
  std::vector<ValueRef> results;  // one for each output, of the output's element type
  SourceRange source;             // the statement in the spec; not part of the text form

  size_t operandCount() const { return inputs.size() + outputs.size(); }
  const Operand& operand(size_t i) const {
    return i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
  }
  Operand& operand(size_t i) { return i < inputs.size() ? inputs[i] : outputs[i - inputs.size()]; }
};

struct Stmt;
using Block = std::vector<Stmt>;

// Gives a local tensor its memory: row-major, uninitialised, until the kernel returns.
struct Alloc {
  unsigned tensor;
};

// var = 0, 1, ..., extent - 1
struct For {
  std::string var;
  affine::Expr extent;
  IteratorKind kind;
  Block body;
};

// A scalar variable, from here to the end of the block.
struct Let {
  std::string name;
  ValueRef value;
};

struct Assign {
  std::string name;
  ValueRef value;
};

struct Store {
  unsigned tensor;
  std::vector<affine::Expr> index;
  ValueRef value;
};

struct Stmt {
  std::variant<StructuredOp, Alloc, For, Let, Assign, Store> node;
};

// ---- Kernels ------------------------------------------------------------------------------------

enum class Role : uint8_t { Input, Output, Local };

struct Tensor {
  std::string name;
  ScalarType type;
  std::vector<affine::Expr> shape;  // over size symbols and integer attributes
  Role role;
  SourceRange source = {};              // the name in the spec, and each size; not part
  std::vector<SourceRange> sizes = {};  // of the text form
};

// A scalar or small array passed by value: an attribute, or (parameter) a scalar among the inputs.
// Integer ones are symbols of index expressions under symbolName.
struct Attribute {
  std::string name;
  ScalarType type;
  std::vector<int64_t> shape;  // empty: a scalar
  bool list = false;           // `f32[]`: one dimension whose length the caller gives
  bool optional = false;
  bool parameter = false;
  std::optional<std::vector<Number>> defaults;  // all elements
  SourceRange source = {};                      // the name in the spec; not part of the text form

  int64_t elementCount() const;                   // 1 for a scalar; not for lists
  std::string symbolName(int64_t element) const;  // "strides[1]"; "s" for a scalar
};

enum class Level : uint8_t { Tensors, Buffers, Hardware };

struct Kernel {
  std::string name;
  std::string doc;                      // may hold any bytes
  std::string odsName;                  // ods_def<...>, or empty
  std::vector<std::string> interfaces;  // implements_interface<...>
  std::vector<Tensor> tensors;          // inputs and outputs in signature order, then locals
  std::vector<Attribute> attributes;    // scalar parameters and attributes
  // The inputs in the order of the signature: tensors and scalar parameters mixed.
  struct Input {
    bool isTensor;
    unsigned index;
  };
  std::vector<Input> inputs;
  Level level = Level::Tensors;
  Block body;
  SourceRange source;  // the def's name in the spec

  std::optional<unsigned> findTensor(const std::string& name) const;
  std::optional<unsigned> findAttribute(const std::string& name) const;
  // Size symbols in order of first appearance in the signature's shapes.
  std::vector<std::string> sizeSymbols() const;
  // The attribute element an index symbol stands for, or nothing when it is a size.
  std::optional<AttributeRef> attributeOf(const std::string& symbol) const;
};

struct Module {
  std::vector<Kernel> kernels;
};

// Every StructuredOp of a block, in order, those inside loops included.
void forEachOp(const Block& block, const std::function<void(const StructuredOp&)>& visit);

}  // namespace einc::ir
