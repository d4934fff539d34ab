// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An op that stands in a loop on workgroups (plan/group.h): what the invocations of the workgroup do of it.
//
//   a product     when m == 32 and n == 32 {                            nothing is cut off
//                   bind m by 4 over 8, n by 2 over 16 to invocations
//                   vectorize (m: 4, n: 2)                              sums in registers
//                 } otherwise { the same }
//   a reduction   lanes n over 4                                        several invocations for each result
//                 loops
//   others        bind m over 4, n over 32 to invocations
//                 loops
//
// Where the op may have any number of positions, invocations share these as they come.
#pragma once

#include "compiler/strategy/decision.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/group.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// Of the op with that number. What is taken of the workgroup's memory is counted in `group`.
Decision decideInGroup(transforms::Builder& builder, const ir::StructuredOp& op, size_t number,
                       const Group& group, const ScheduleOptions& options);

}  // namespace einc::strategy
