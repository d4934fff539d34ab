// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is to be done at each position that ops share on a device, from their iterators and maps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/fusion/shared_loops.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/target/device.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

size_t parallelCount(const ir::StructuredOp& op);

struct PositionWork {
  affine::Expr length;  // steps of the op with the most iterators
  // That the last of its iterators which indexes an input alone goes along neighbours there; of the
  // inputs that with the most iterators.
  std::optional<Test> unit;
  bool isReadAgain = false;  // several ops go along the same elements
  bool isAcross = false;     // they are no neighbours where that input lies row by row
  size_t op = 0;             // that op
  int64_t rounds = 0;        // of loops, for each step of all ops, at most
};

// `shared` as sharedPositions gives it. Nothing if there is little to do.
std::optional<PositionWork> workAtPosition(transforms::Builder& builder,
                                           const target::Device& device, const Ops& ops,
                                           const std::vector<std::vector<std::string>>& shared);

}  // namespace einc::strategy
