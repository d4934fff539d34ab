// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Along which iterator of an op vectors lie, and what it means for its operands.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/space.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/support/result.h"

namespace einc::strategy {

class Axis {
 public:
  // The iterator in which most elements are contiguous: an operand counts by how many iterators it
  // has; the output decides, where there is a choice. Where nothing is contiguous, the innermost.
  // None along which each term needs the one before it. `whole` is the op of which this is a tile, or
  // null, and is looked at here alone.
  Axis(const ir::Kernel& kernel, const ir::StructuredOp& op, const std::vector<OperandName>& names,
       const ScheduleOptions& options, const ir::StructuredOp* whole = nullptr);

  const std::string& name() const { return axis_; }
  void set(std::string iterator) { axis_ = std::move(iterator); }

  bool isReduction(const std::string& name) const;
  bool mayReorder() const;
  Space whole() const { return {kernel_, op_}; }

  // Why there are no vectors along it.
  std::optional<Reason> refusal() const;
  // More than reading and writing takes: sums, long functions, or several others of each element.
  bool computesMuch() const;
  // The operands whose lanes are read or written one by one.
  std::vector<size_t> oneByOne() const;
  // Those of the iterators along which something may be outside a tensor, and is so at their ends alone;
  // none if one of them has no such ends.
  std::vector<std::string> bordered(const std::vector<std::string>& iterators) const;
  // Whether some lanes may be outside a tensor where no mask can say so, but vectors lie well
  // between the borders.
  bool needsInterior() const;

  // The operands that are read or written along what they are contiguous along.
  std::vector<Test> contiguousTests() const;
  // The iterator of the dimension before that of the axis, the same in all of these that have one;
  // "" if there is none. And what has to hold for all to be contiguous along that.
  std::string beside() const;
  std::vector<Test> besideTests() const;

  // Where an input is contiguous along another iterator that the output has, too.
  std::string transposed() const;
  // The innermost reduction, where an input that has all iterators is used once: its lines are then
  // read in order, instead of some vectors of each. Unless it is done in the order of the spec, sums have to be those of
  // functions.
  std::string columnsDown(bool inOrder) const;

 private:
  void choose(const ir::StructuredOp* whole);
  bool pays(size_t oneByOne) const;
  size_t moved() const;  // operands that are read or written
  using OnContiguous =
      std::function<void(const ir::Operand&, const OperandName&, const std::string& along)>;
  void forEachContiguous(const OnContiguous& on) const;

  const ir::Kernel& kernel_;
  const ir::StructuredOp& op_;
  const std::vector<OperandName>& names_;
  const ScheduleOptions& options_;
  const target::Target& target_;
  std::string axis_;
};

}  // namespace einc::strategy
