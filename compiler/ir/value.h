// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Values: scalar code as an immutable tree, whose nodes are shared. Payloads of structured ops are made of
// it, and so are the values of statements below them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/affine/expr.h"
#include "compiler/ir/types.h"

namespace einc::ir {

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
// One tensor element (below the structured levels); in a Vector region one for each position of
// the axes in `index`, a transfer read whose permutation map is `index`. With `pad`, a position
// outside the tensor reads as `pad`: the mask of the read. `unit` names the axis along which
// neighbours are neighbours in memory, too; where none is named, nothing is known.
struct Load {
  unsigned tensor;
  std::vector<affine::Expr> index;
  ValueRef pad;
  std::string unit = {};
};
// A value named by an enclosing Let.
struct Variable {
  std::string name;
};
// All positions of `arg` along `axis` in one value, by a function that is associative; the order is
// unspecified, but always the same.
struct Reduce {
  Function function;
  std::string axis;
  ValueRef arg;
};
// Along `axis`, of `n` positions: at position i the value of `a` at lanes[i], or, from n on, of `b`
// at lanes[i] - n. Transposes in registers are made of these.
struct Shuffle {
  ValueRef a, b;
  std::string axis;
  std::vector<unsigned> lanes;
};
// The lanes that exchange the upper right and the lower left square, of side `distance`, of each
// square twice as large on the diagonal: of `width` rows of as many lanes the upper of two rows
// `distance` apart gets these, or the lower. Rounds of 1, 2, 4, ... make columns of rows.
std::vector<unsigned> exchangedLanes(unsigned width, unsigned distance, bool isLower);
// As many elements as 16 bytes hold. Of lines that lie apart so many are read to the parts of vectors, one line a part; shuffles
// within parts then leave the same element of all lines in one vector.
int64_t turnedTogether(ScalarType type);

// Several products added to a sum at once, as a target's instruction does (instruction.h).
struct Instruction;
struct Instruct {
  const Instruction* instruction;
  std::vector<ValueRef> args;  // the sum, and two words
  // Along `axis` a block of results, row after row: at row i and column j of it the first word is the one at position i
  // of the axis `words`, the second one that at j. "": at each position it is of the words there.
  std::string axis = {}, words = {};
};

struct Value {
  ScalarType type;
  std::variant<Literal, OperandRef, IndexRef, AttributeRef, Call, Cast, Load, Variable, Reduce,
               Shuffle, Instruct>
      node;
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

}  // namespace einc::ir
