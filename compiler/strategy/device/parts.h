// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Reductions in two steps, parts first and then the sums of the parts, where an invocation or a
// workgroup for each position would leave most of a device idle.
#pragma once

#include <optional>
#include <string>

#include "compiler/strategy/device/work.h"
#include "compiler/target/device.h"

namespace einc::strategy {

struct Parts {
  std::vector<ir::Condition> conditions;  // under which it pays
  std::string reason;
  ir::Block names;  // what `width` is computed with
  affine::Expr width;
};

// Few positions with much to do at each: `positions` of them, where each has `work`. Invocations
// share the terms of a part.
std::optional<Parts> partsOfFew(transforms::Builder& builder, const target::Device& device,
                                const affine::Expr& positions, const PositionWork& work);
// More positions, but where what is added up is apart in memory (in which case it is for the caller
// to ask), so that an invocation is to go along it alone, beside others that read its neighbours.
std::optional<Parts> partsAcross(transforms::Builder& builder, const target::Device& device,
                                 const affine::Expr& positions, const PositionWork& work);

// The op that reduces, if it is the only one that has more iterators than the shared ones.
std::optional<size_t> onlySum(const Ops& ops, const std::vector<std::vector<std::string>>& shared);

}  // namespace einc::strategy
