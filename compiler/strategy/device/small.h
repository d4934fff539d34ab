// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done with a product where M and N are few, so that most of a tile would be empty: it, and what
// is done with it, are ops that share positions.
//
//   when 16 <= m and 16 <= n { tiles } otherwise {
//     when 32 < K and contiguous(A, k) { rows } otherwise {        device/sharing.h
//       bind m to invocations
//       bind n to invocations
//       keep () of T on stack
//       fuse op 0 by { loops } ...
//     }
//   }
#pragma once

#include <optional>
#include <set>

#include "compiler/strategy/device/positions.h"
#include "compiler/strategy/device/transpose.h"
#include "compiler/strategy/options.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// Of these ops, of which the first has the number `first`: an op alone, or ops that share positions.
Steps smallSteps(transforms::Builder& builder, const Ops& ops, size_t first,
                 const ScheduleOptions& options);

// An invocation for each position of an op with little to do there: in tiles where it transposes, in
// vectors where neighbours lie together. `others` are tensors that ops beside it use.
Steps ownPositions(const ir::Kernel& kernel, const ir::StructuredOp& op, const Shared& shared,
                   const std::set<unsigned>& others, const target::Device& device);

// Where the op is a transpose whose result is stored.
std::optional<TransposedAlong> storesTransposed(const ir::Kernel& kernel,
                                                const ir::StructuredOp& op,
                                                const std::set<unsigned>& others,
                                                const target::Device& device);

}  // namespace einc::strategy
