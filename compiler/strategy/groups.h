// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What kind of op an op is, from its maps, iterator kinds and payload alone.
//
// The iterators of a contraction fall into four groups: batch (in the output and in inputs of both
// sides), M (in the output and in inputs of one side), N (in the output and in inputs of the other)
// and K (reductions). N is the group that has the output's last dimension, along which vectors lie.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::strategy {

struct Groups {
  std::vector<std::string> batch, m, n, k;  // each in the op's order
  // Inputs with M or N; those with neither are left. Of several, the payload computes one value of them all for each
  // element of the first one, which has all iterators of the others: that value is packed.
  std::vector<size_t> left, right;
  bool anyOrder = false;  // terms of a sum may be added in any order
};

// Whether a side has several inputs.
bool haveSeveral(const Groups& groups);

// Whether a side is computed, and so to be packed as what it is: of several inputs, or floats of one.
bool computesSides(const ir::StructuredOp& op, const Groups& groups);

// The groups, or the first reason why the op is no contraction.
Result<Groups> contractionGroups(const ir::Kernel& kernel, const ir::StructuredOp& op);

// Whether other ops may be done on the op's register tiles: a contraction of one output.
bool hasTiles(const ir::Kernel& kernel, const ir::StructuredOp& op);

// Whether it is a sum by windows that move over an input, none of which is read outside (streams/windows.h). Other ops may
// be done on its register tiles, too, where it has them.
bool movesWindows(const ir::StructuredOp& op);
bool mayHaveTiles(const ir::Kernel& kernel, const ir::StructuredOp& op);

// The op without iterators that have one position, if others are left; `but` stay.
ir::StructuredOp withoutUnits(const ir::Kernel& kernel, const ir::StructuredOp& op,
                              const std::set<std::string>& but = {});

// The iterator of `group` along which the operand is contiguous, as the spec has it, or "".
std::string contiguousIn(const ir::Operand& operand, const std::vector<std::string>& group);

}  // namespace einc::strategy
