// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops in loops over the positions that they share, each by 1. What they write at a position and
// read again is kept in memory of the invocation's own, and what of it is no local tensor is stored
// at the end (schedule.h shows it).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/strategy/fusion/shared_loops.h"
#include "compiler/target/device.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// `shared` as sharedPositions gives it. `others` are the tensors that ops beside these use.
ir::Block flat(transforms::Builder& builder, const target::Device& device, const Ops& ops,
               const std::vector<std::vector<std::string>>& shared,
               const std::set<unsigned>& others);

// An op without reductions, four neighbours along its last iterator at a time, where the conditions
// hold; nothing if they cannot.
struct FlatVectors {
  std::vector<ir::Condition> conditions;
  ir::Block block;
};
std::optional<FlatVectors> flatVectors(transforms::Builder& builder, ir::StructuredOp op,
                                       const std::vector<std::vector<std::string>>& shared);

}  // namespace einc::strategy
