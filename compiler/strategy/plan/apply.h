// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Does what a list of steps (steps.h) says. It is a fold: each step is one transformation, whose
// precondition is checked here, and says what is wrong in words for the user who wrote it.
//
//   before  op (m: parallel, n: parallel) ins(%A[m, n]) outs(%B[m, n]) { exp(a) }
//           tile n by 16; vectorize (n: 16)
//   after   tile n0 : n0_size = 0 .. N by 16 parallel {
//             view %A_n0 ...  view %B_n0 ...
//             op (m: parallel, n: parallel) ins(%A_n0[m, n]) outs(%B_n0[m, n]) { exp(a) } vector (n: 16)
//           }
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/completion.h"
#include "compiler/strategy/plan/group.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

class Region;  // plan/region.h
// plan/shared.h
class SharedOps;
struct NumberedOps;

// A step that cannot be done, and why.
struct StepError {
  SourceRange source;
  std::string message;
};

// An op on its way through the steps, with what its operands are called there.
struct Place {
  ir::StructuredOp op;
  std::vector<OperandName> names;           // of those that are read or written
  Region* region = nullptr;                 // what is done on its tiles, if it is a contraction
  const SharedOps* shared = nullptr;        // the ops that it stands for, if they share loops
  std::optional<size_t> number = {};        // of an op of a region that is done by itself
  const ir::StructuredOp* whole = nullptr;  // that op, if it is a part of one; outlives the place
  bool isOnThreads = false;                 // in a loop that threads share
  bool isReady = false;  // it is canonical, and the region's operands are among its own
  std::vector<affine::Expr> positive = {};  // extents that are known to be
  std::optional<Group> group = {};          // it stands in
};

// `place.op` may be as the spec has it. After an error the op is left as it is from there on, and
// all steps that can be are done, so that several errors are found. What is left becomes scalar
// loops; `completion` is told where it is.
ir::Block apply(transforms::Builder& builder, Place place, const Steps& steps,
                const ScheduleOptions& options, std::vector<StepError>& errors,
                Completion* completion = nullptr);

// The same for ops that are done together, of which the first has the number `first` in the kernel: a
// contraction with others on its tiles (region.h), or ops that share loops (shared.h).
ir::Block apply(transforms::Builder& builder, const std::vector<ir::StructuredOp>& ops,
                size_t first, const Steps& steps, const ScheduleOptions& options,
                std::vector<StepError>& errors, Completion* completion = nullptr);

// The same for ops that share loops. `elsewhere` are tensors that others use, too.
ir::Block applyShared(transforms::Builder& builder, const NumberedOps& ops,
                      std::set<unsigned> elsewhere, const Steps& steps,
                      const ScheduleOptions& options, std::vector<StepError>& errors,
                      Completion* completion = nullptr);

// The same for steps that a strategy has written: one that cannot be done is an error of Einc's own,
// and ends the program.
ir::Block apply(transforms::Builder& builder, const ir::StructuredOp& op, const Steps& steps,
                const ScheduleOptions& options, Completion* completion = nullptr);
ir::Block apply(transforms::Builder& builder, Place place, const Steps& steps,
                const ScheduleOptions& options, Completion* completion = nullptr);

// Whether ops are done on the tiles of another: fuse op 2.
bool fusesOnTiles(const Steps& steps);

// Where steps that a strategy has written could not be done: ends the program.
void mustBeDone(const ir::Kernel& kernel, const std::vector<StepError>& errors,
                const ir::StructuredOp& op, const Steps& steps);

}  // namespace einc::strategy
