// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that share positions, each of which an invocation does, or a workgroup: what the forms of a
// device that are said in steps begin with.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/fusion/shared_loops.h"
#include "compiler/strategy/plan/shared.h"
#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

// As sharedPositions gives them.
using Shared = std::vector<std::vector<std::string>>;

struct Positions {
  const ir::Kernel& kernel;
  NumberedOps ops;
  Shared shared;
  std::set<unsigned> others;  // tensors that ops beside these use
  bool isAlone;               // the steps are those of one op, not of several
};

// Iterators that an op of these has for itself.
std::vector<std::string> ownIterators(const Positions& at, size_t op, ir::IteratorKind kind);

// bind m to invocations; bind n to invocations. The last of the shared iterators by so many.
Steps bindAll(const Positions& at, BindStep::To to, int64_t last, const std::string& why);

// keep (m: 8) of E in workgroup, for what ops leave for each other: at most so many elements of
// each tensor. Of those of a workgroup `rows` are there.
Steps keepAll(const Positions& at, KeepStep::Where where, int64_t most, int64_t rows);

// Each op by these, which is the last of the steps.
template <typename StepsOf>
void fuseAll(const Positions& at, Steps& steps, StepsOf&& stepsOf) {
  for (size_t op = 0; op < at.ops.ops.size(); ++op)
    steps.push_back(Step(FuseStep{static_cast<int64_t>(at.ops.numbers[op]), false, stepsOf(op)},
                         "at the positions that all share"));
}

}  // namespace einc::strategy
