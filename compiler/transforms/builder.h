// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What transforms share when they add names, buffers and views to a kernel. Most of them take an op
// whose maps are just iterators, which canonicalize() makes of any:
//
//   before  op (m: parallel, k: reduction) ins(%A[m + k] pad 0, %B[k]) outs(%C[m]) { ... }
//   after   view %A_at: tensor<M x K x f32> = (m, k) -> %A[m + k] pad 0
//           op (m: parallel, k: reduction) ins(%A_at[m, k], %B[k]) outs(%C[m]) { ... }
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/unique_names.h"

namespace einc::transforms {

affine::Expr constant(int64_t value);
affine::Expr size(const std::string& symbol);
affine::Expr at(const std::string& iterator);

class Builder {
 public:
  // All iterators, variables and tensors that the kernel has are taken.
  explicit Builder(ir::Kernel& kernel);

  ir::Kernel& kernel() { return kernel_; }
  ir::UniqueNames& names() { return names_; }
  // A new name for a loop, size or variable.
  std::string name(const std::string& wanted) { return names_.make(wanted); }
  // A new tensor; `wanted` keeps its case.
  unsigned tensor(const std::string& wanted, ir::ScalarType type, std::vector<affine::Expr> shape,
                  ir::Role role);
  bool hasExtent(const ir::StructuredOp& op, const std::string& iterator) const;
  affine::Expr extent(const ir::StructuredOp& op, const std::string& iterator) const;
  // How many positions several iterators have together.
  affine::Expr positions(const ir::StructuredOp& op,
                         const std::vector<std::string>& iterators) const;

  // A view of `operand`, whose dimensions are `iterators`, each of its extent in `op`; the
  // statement goes to `block`. The operand becomes one of the view.
  void viewOver(ir::StructuredOp& op, size_t operand, const std::vector<std::string>& iterators,
                const std::string& wanted, ir::Block& block);

 private:
  ir::Kernel& kernel_;
  ir::UniqueNames names_;
};

// The iterators in an operand's map, in order of first appearance.
std::vector<std::string> iteratorsOf(const ir::Operand& operand);

// The dimension whose index is just `iterator`; 0 if there is none.
unsigned dimOf(const ir::Operand& operand, const std::string& iterator);

// Takes out an input that the payload does not read, if the other operands say how many positions
// each iterator has.
void dropInput(const ir::Kernel& kernel, ir::StructuredOp& op, size_t input);

// A block of one statement.
ir::Block only(ir::Stmt stmt);
void append(ir::Block& to, ir::Block from);

// Gives `op` operands whose maps are just distinct iterators, through views where they are not.
// Law 1 keeps: the views have the sizes of the iterators.
void canonicalize(Builder& builder, ir::StructuredOp& op, ir::Block& block);

}  // namespace einc::transforms
