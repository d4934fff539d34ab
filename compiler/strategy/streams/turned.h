// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An input that lies along another iterator than the output, and is read again along others, is turned once, in memory:
//
//   op (h: parallel, e: parallel, d: parallel) ins(%A[d, h]) outs(%C[h, e, d]) { (a, c) -> a }
//
//   when 4 <= e and contiguous(A, h) and contiguous(C, d) {
//     copy A (h, d) as turned_A { the copy's own form }
//     the best form where A has neighbours along d
//   } otherwise { the best form as it lies }
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

Result<Form> turned(const Task& task, const Form& whole);

// Memory in which these iterators are the dimensions, outermost first.
struct TurnedMemory {
  std::vector<std::string> dimensions;
  std::string name;
};

// What the op reads of an input, which steps call `name`, is copied to `memory`, and read there: `op` is that from here on,
// in the kernel of `builder`. Nothing, and as it was, if there are no vectors for the copy.
std::optional<CopyStep> turnedTo(const TurnedMemory& memory, const OperandName& name, size_t input,
                                 ir::StructuredOp& op, transforms::Builder& builder,
                                 const ScheduleOptions& options);

}  // namespace einc::strategy
