// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which ops are done in rounds (transforms/rounds.h), and in tiles of what size: those where a reduction's result is used
// along the same iterator, and what lies between is made by another reduction. Without rounds all of that would be kept from
// one to the other: of softmax(Q K^T) V one element for each query and key.
//
//   S(m, n) +=! Q(m, d) * K(n, d)
//   L(m) max=! S(m, n)                       in rounds along n: L is used before it is complete, and what was
//   X(m, n) = exp(S(m, n) - L(m))            added up before is corrected
//   T(m) +=! X(m, n)
//   U(m, e) +=! X(m, n) * V(n, e)
//   O(m, e) = U(m, e) / T(m)                 in the same tile of m
//
// What is only read once more (a softmax of an input) is better read twice. On a device a workgroup does a tile (rounds_in_group.h),
// or a part of one (ways_on_device.h).
// A user says it in a schedule, by the numbers of the ops as they stand before: with other tiles, or, in braces that are
// empty, that they are not done so.
//
//   rounds 0 to 8 { tile m by 64 tile n by 256 }
//
// Where tiles are fewer than threads, these share the rounds in parts (transforms/rounds_parts.h):
//
//   rounds 0 to 8 { tile m by 64 tile n by 1024 on threads (131072) tile n by 256 }
//
// and on a device, where they are fewer than workgroups that keep it busy, workgroups do:
//
//   rounds 0 to 8 { tile m by 32 tile n by 1024 on workgroups tile n by 32 }
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/decision.h"
#include "compiler/strategy/options.h"

namespace einc::strategy {

struct InRounds {
  ir::Kernel kernel;
  std::vector<RoundsReport> done;
  std::vector<SettingError> errors;
};

// `kernel` is at level tensors, its ops stand one behind the other.
InRounds inRounds(const ir::Kernel& kernel, const ScheduleOptions& options);

// Without what is said of rounds and tiles: for what is decided behind them.
ScheduleOptions withoutRounds(ScheduleOptions options);

}  // namespace einc::strategy
