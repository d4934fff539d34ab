// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done on the tiles of a sum's results (plan/region.h): what they start from, and ops that read them.
#pragma once

#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

struct Others {
  Steps onTiles;            // each of them
  bool areWritten = false;  // the results themselves, in the end
  // What they read and write but for the results, with the iterators of the sum; and what steps call it.
  std::vector<std::pair<OperandName, ir::Operand>> operands;
};

// The sum, and they, vector by vector along the last parallel iterator, whatever lies beside one another.
Steps lineByLine(const Others& others, const ir::StructuredOp& sum, const ScheduleOptions& options);

// A tile of results has no other iterators than the op, also of one position, as `spec` may have: these are done before.
Steps inUnits(const ir::StructuredOp& spec, const ir::StructuredOp& op, Steps steps);

}  // namespace einc::strategy
