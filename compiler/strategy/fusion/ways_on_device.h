// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How ops in rounds are done on a device. A workgroup does a tile, and so all of them are one dispatch. Where there are too few
// tiles to keep the device busy, or more rounds of loops than an invocation may run, workgroups share the rounds in parts, and a
// second dispatch makes one of what these have found (transforms/rounds_on_workgroups.h):
//
//   bound n_many = min(1, (H * ((M + 31) floordiv 32)) floordiv 64)    1: at least as many tiles as keep the device busy
//   if N <= N * n_many + 1024 { one dispatch } else { two }
//
// One row has ways of its own. What is known when the code is made is not asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/fusion/find_rounds.h"
#include "compiler/strategy/options.h"
#include "compiler/support/result.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

struct PlanOnDevice {
  // Where one dispatch does all, and where parts are done; nothing: nowhere.
  std::optional<std::vector<ir::Condition>> whole = {}, parts = {};
  // If there are both, one dispatch needs this to be 1 or more, or no more than one part; nothing: it does not.
  std::optional<affine::Expr> enough = {};
  std::optional<Reason> notWhole = {}, noParts = {};  // why nowhere
  std::string text = {};                              // which calls are in parts, for people
};

// `rounds` are those that were found, or the same with other tiles.
PlanOnDevice planOnDevice(const ir::Kernel& kernel, const FoundRounds& found,
                          const transforms::Rounds& rounds, const ScheduleOptions& options);

// Gives rounds the model's parts, where they may be of use; or says why no workgroup does even a part of a tile.
std::optional<Reason> partOnDevice(const ir::Kernel& kernel, FoundRounds& found,
                                   const ScheduleOptions& options);

// Why what a user says of tiles and parts cannot be.
std::optional<Reason> refusedOnDevice(const ir::Kernel& kernel, const FoundRounds& found,
                                      const ScheduleOptions& options);

// What is done where these conditions hold. It begins with bounds.
struct Way {
  std::vector<ir::Condition> where;
  ir::Block block;
};

// The first one that may be taken is. If even the last one has conditions, there are calls with none.
std::vector<Way> waysOnDevice(transforms::Builder& builder, const ir::Kernel& kernel,
                              const FoundRounds& found, const ScheduleOptions& options);

}  // namespace einc::strategy
