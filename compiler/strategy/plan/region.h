// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A contraction with what its output starts from, and with the ops that read it. Where the
// contraction is tiled, the others' operands are tiled with it; a tile of results becomes
//
//   alloc %T_tile on stack
//   if k0 == 0 { op on T_tile: what it starts from } else { T_tile = T_sums }
//   op on T_tile: the contraction
//   if k0 + k0_size == K { ops on T_tile: those that read it } else { T_sums = T_tile }
//
// so that it is in registers all the time, and the output of the contraction has no memory, but for
// sums that are not yet finished. Others may be done elsewhere: then results are read from that memory,
// or written there. A contraction alone is a region, too: then its tile is the op.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

// When a tile has the first terms of its results, and the last ones: all of the conditions hold.
struct Terms {
  std::vector<ir::Condition> first, last;

  // In the tile of a reduction that has `extent` in all, and out of it.
  void add(const transforms::Tile& tile, const affine::Expr& extent);
  void drop();
};

// The op with other names for some of its iterators.
ir::StructuredOp renamed(ir::StructuredOp op, const std::map<std::string, std::string>& names);

class Region {
 public:
  // `ops` as fusion.h has them: the contraction, alone or with its start before it and its readers
  // behind it. The first has the number `first` in the kernel. A line of memory has `line` bytes; if it is 0, none is asked for.
  Region(transforms::Builder& builder, std::vector<ir::StructuredOp> ops, size_t first = 0,
         int64_t line = 0);

  const ir::StructuredOp& contraction() const { return ops_[contraction_]; }
  // With the iterators of the contraction.
  const std::vector<ir::StructuredOp>& ops() const { return ops_; }
  // As they were given, with iterators of their own.
  const std::vector<ir::StructuredOp>& given() const { return given_; }
  size_t first() const { return firstNumber_; }
  // By their numbers in the kernel: all but the contraction, those of them that stand before it, and whether
  // there is such a one.
  std::vector<size_t> others() const;
  bool isStart(size_t number) const { return number < firstNumber_ + contraction_; }
  bool hasOther(size_t number) const;
  // What the operands of such an op are called.
  std::vector<OperandName> names(size_t number) const {
    return operandNames(builder_.kernel(), ops_[number - firstNumber_]);
  }
  bool isAlone() const { return ops_.size() == 1; }

  // Whether the results are there in the end: nothing reads them, or what reads them last is in their place.
  bool isWritten() const;

  // What there is to do where K has no terms.
  ir::Block withoutTerms() const;

  // `op` is the contraction, made canonical. What the others read and write becomes operands of it
  // that it does not use, so that they are tiled with it.
  void attach(ir::StructuredOp& op, ir::Block& block);

  // The names of these operands, in their order, behind those of the contraction.
  std::vector<OperandName> attachedNames(const std::vector<OperandName>& own) const;

  // What they read and write is gone from it again.
  ir::StructuredOp detached(const ir::StructuredOp& op) const;
  bool isAttached(const ir::StructuredOp& op, size_t input) const {
    return input >= first_ && input < op.inputs.size();
  }
  // One of them on what `op` has of its operands, with results in memory.
  ir::StructuredOp other(size_t number, const ir::StructuredOp& op) const {
    return memberOf(number - firstNumber_, op, op.outputs[0]);
  }

  // Sums that are not yet finished are kept in `sums`, an operand like the op's output.
  void keepSums(ir::StructuredOp& op, const ir::Operand& sums) const;

  // The operands that a tile writes in the end.
  std::vector<ir::Operand> written(const ir::StructuredOp& op) const;

  // A tile of results: `op`, with its axes, is what attach() made, tiled. Ops with the numbers `here` are
  // done on it. `sum` gives the code of the contraction, `finish` that of the ops that read it. Where `op` asks early, what these
  // read and write for each element of the tile is asked for before all, and sums that are kept a tile before they are read.
  using Code = std::function<ir::Block(const ir::StructuredOp&)>;
  ir::Block tile(const ir::StructuredOp& op, const std::set<size_t>& here, const Terms& terms,
                 const Code& sum = onAxes, const Code& finish = onAxes) const;
  // Where results are kept elsewhere between these: what they start from, the contraction, and what
  // reads them or stores them. `results` is an operand in the place of the output of `op`.
  ir::StructuredOp start(const ir::StructuredOp& op, const ir::Operand& results) const;
  ir::StructuredOp sum(const ir::StructuredOp& op, const ir::Operand& results) const;
  std::vector<ir::StructuredOp> readers(const ir::StructuredOp& op,
                                        const ir::Operand& results) const;

  static ir::Block onAxes(const ir::StructuredOp& op) { return transforms::only({op}); }

 private:
  void attachOperands(const ir::StructuredOp& member, ir::StructuredOp& op, ir::Block& block);
  ir::StructuredOp memberOf(size_t member, const ir::StructuredOp& op,
                            const ir::Operand& results) const;
  ir::Block asked(const ir::StructuredOp& op, const std::vector<ir::Operand>& operands,
                  bool next = false) const;
  ir::StructuredOp copy(const ir::Operand& from, const ir::Operand& to,
                        const ir::StructuredOp& op) const;

  transforms::Builder& builder_;
  std::vector<ir::StructuredOp> given_;
  std::vector<ir::StructuredOp> ops_;  // the others with the iterators of the contraction
  size_t firstNumber_, contraction_;
  int64_t line_;
  unsigned results_;  // the tensor
  // The number of the first attached input, of each op's first one, and of all.
  size_t first_ = 0, count_ = 0;
  std::vector<size_t> firstOf_;
};

}  // namespace einc::strategy
