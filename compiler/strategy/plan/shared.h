// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that share loops, as one op: its iterators are those that all of them have, then those that each has for
// itself, and it reads all that any of them reads or writes. So it is tiled like any op, and each of them can
// be taken out of a tile of it.
//
//   op (m: parallel, n: parallel) ins(%X[m, n]) outs(%E[m, n]) { exp(x) }
//   op (i: parallel, j: reduction) ins(%E[i, j]) outs(%S[i]) { add(s, e) }
//
//   op (m: parallel, n_op0: parallel, j_op1: parallel) ins(%X[m, n_op0], %E[m, n_op0], %E[m, j_op1], %S[m])
//
// Its results are the positions that it has along those that all have.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/outside.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// With the number of each in the kernel, or in a list of steps of its own.
struct NumberedOps {
  std::vector<ir::StructuredOp> ops;
  std::vector<size_t> numbers;
  // What operands are called; empty: as their tensors are.
  std::vector<std::vector<OperandName>> names = {};

  // As they stand, from `first` on.
  static NumberedOps from(size_t first, std::vector<ir::StructuredOp> ops);
};

// Tensors that ops of the kernel beside these use.
std::set<unsigned> usedElsewhere(const ir::Kernel& kernel,
                                 const std::vector<ir::StructuredOp>& ops);

// Whether one of these may read what one before it writes.
bool readsResults(const ir::Kernel& kernel, const std::vector<ir::StructuredOp>& ops, size_t which);

class SharedOps {
 public:
  // `shared`: for each iterator that they have in common the name that it has in each op.
  // `elsewhere` are tensors that other ops use, too. Views of what is not canonical go to `block`. With `looksOutside`,
  // what may be read outside its tensor is there twice.
  SharedOps(transforms::Builder& builder, NumberedOps ops,
            const std::vector<std::vector<std::string>>& shared, std::set<unsigned> elsewhere,
            bool looksOutside, ir::Block& block);

  const ir::StructuredOp& whole() const { return whole_; }
  // As they were given.
  const NumberedOps& given() const { return given_; }
  // The numbers of the first op, and of the one behind another; end() if there is none.
  size_t first() const { return given_.numbers.front(); }
  size_t end() const { return given_.numbers.back() + 1; }
  size_t after(size_t number) const;
  bool hasOp(size_t number) const;
  size_t indexOf(size_t number) const;  // among those that are given
  bool isShared(const std::string& iterator) const { return shared_.count(iterator) != 0; }
  const std::vector<std::string>& iterators() const { return names_; }

  // What the shared iterator is called in the op of that number.
  const std::string& nameIn(size_t number, const std::string& iterator) const;
  // The names of its operands.
  const std::vector<OperandName>& names(size_t number) const {
    return operandNames_[indexOf(number)];
  }
  // That op on what `here`, a tile of the whole, has of its operands.
  ir::StructuredOp member(size_t number, const ir::StructuredOp& here) const;
  bool looksOutside() const { return looksOutside_; }
  // What that may read outside its tensors, with the indices that it has in `here`; and its inputs that do so, of which
  // the op has twins.
  std::vector<Outside> outside(size_t number, const ir::StructuredOp& here) const;
  const std::vector<size_t>& padded(size_t number) const { return padded_[indexOf(number)]; }
  // Other ops of the kernel use the tensor, too.
  bool isUsedElsewhere(unsigned tensor) const { return elsewhere_.count(tensor) != 0; }
  const std::set<unsigned>& elsewhere() const { return elsewhere_; }
  // Whether that input is inside its tensor, at the position of the shared iterators alone.
  bool isAtPosition(size_t input) const;
  // Its indices, in the op as it was, by the names of the whole; whether it is read there, and
  // written.
  const std::vector<affine::Expr>& map(size_t input) const { return operands_[input].map; }
  bool isRead(size_t input) const { return operands_[input].isRead; }
  bool isWritten(size_t input) const {
    return operands_[input].number >= ops_[operands_[input].op].inputs.size();
  }
  bool hasPad(size_t input) const { return operands_[input].hasPad; }
  // What an operand and an iterator of its op, the first that has both, are in the whole.
  std::optional<std::pair<size_t, std::string>> along(const OperandName& operand,
                                                      const std::string& iterator) const;
  // The inputs of the whole that are the tensor, from an op on.
  std::vector<size_t> operands(unsigned tensor, size_t from) const;
  // The tensor that is an operand of that name in one of them.
  std::optional<unsigned> tensorOf(const std::string& name) const;
  // Elements that are read and written for each position of the shared iterators of `here`.
  affine::Expr elements(const transforms::Builder& builder, const ir::StructuredOp& here) const;

 private:
  // An index of the op as it was given.
  affine::Expr placeIn(size_t which, const ir::StructuredOp& here, const affine::Expr& index) const;

  struct Operand {
    size_t op;
    unsigned tensor;  // as the kernel has it
    unsigned memory;  // the tensor, or the view of some of it
    size_t number;    // among the op's own
    size_t name;      // among the names of these
    bool isShape;     // nothing is read, and it has no name
    bool isRead, hasPad;
    bool isTwin;  // without a pad: it has no name, either
    std::vector<affine::Expr> map;

    bool isNamed() const { return !isShape && !isTwin; }
  };

  NumberedOps given_;
  std::vector<ir::StructuredOp> ops_;
  ir::StructuredOp whole_;
  std::vector<std::vector<OperandName>> operandNames_;
  std::vector<Operand> operands_;  // of the whole
  bool looksOutside_;
  std::vector<std::vector<Outside>> outside_;
  std::vector<std::vector<size_t>> padded_;
  std::set<unsigned> elsewhere_;
  std::vector<std::string> names_;                          // of shared iterators
  std::map<std::string, std::vector<std::string>> shared_;  // what the ops call them
  std::vector<std::map<std::string, std::string>> inWhole_,
      own_;  // names of each op's iterators there, and back
};

}  // namespace einc::strategy
