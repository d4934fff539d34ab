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
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

class SharedOps {
 public:
  // `shared`: for each iterator that they have in common the name that it has in each op. The first op has the
  // number `first` in the kernel. Views of what is not canonical go to `block`.
  SharedOps(transforms::Builder& builder, std::vector<ir::StructuredOp> ops,
            const std::vector<std::vector<std::string>>& shared, size_t first, ir::Block& block);

  const ir::StructuredOp& whole() const { return whole_; }
  size_t first() const { return first_; }
  size_t count() const { return ops_.size(); }
  bool isShared(const std::string& iterator) const { return shared_.count(iterator) != 0; }
  const std::vector<std::string>& iterators() const { return names_; }

  // What the shared iterator is called in the op of that number.
  const std::string& nameIn(size_t number, const std::string& iterator) const;
  // The names of its operands.
  const std::vector<OperandName>& names(size_t number) const {
    return operandNames_[number - first_];
  }
  // That op on what `here`, a tile of the whole, has of its operands.
  ir::StructuredOp member(size_t number, const ir::StructuredOp& here) const;
  // Other ops of the kernel use the tensor, too.
  bool isUsedElsewhere(unsigned tensor) const { return elsewhere_.count(tensor) != 0; }
  // Each dimension of that input is an iterator of its own, in the op as it was, and it is read.
  bool isDistinct(size_t input) const { return operands_[input].isDistinct; }
  // The inputs of the whole that are the tensor, from an op on.
  std::vector<size_t> operands(unsigned tensor, size_t from) const;
  // Elements that are read and written for each position of the shared iterators of `here`.
  affine::Expr elements(const transforms::Builder& builder, const ir::StructuredOp& here) const;

 private:
  void findElsewhere(const ir::Kernel& kernel);

  struct Operand {
    size_t op;
    unsigned tensor;  // as the kernel has it
    unsigned memory;  // the tensor, or the view of some of it
    size_t number;    // among the op's own
    bool isDistinct;
  };

  std::vector<ir::StructuredOp> ops_;
  size_t first_;
  ir::StructuredOp whole_;
  std::vector<std::vector<OperandName>> operandNames_;
  std::vector<Operand> operands_;  // of the whole
  std::set<unsigned> elsewhere_;
  std::vector<std::string> names_;                          // of shared iterators
  std::map<std::string, std::vector<std::string>> shared_;  // what the ops call them
  std::vector<std::map<std::string, std::string>> inWhole_,
      own_;  // names of each op's iterators there, and back
};

}  // namespace einc::strategy
