// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How large tiles and rounds are (in_rounds.h), and what of them threads share.
//
//   before  rounds along n, with loops over b, h and m       S(m, n) is a product: its rows are m
//   after   tiles of 1 b, 1 h and 256 m, rounds of 128 n     what is read along n is packed once for 256 rows
//
// Rows are many, so that what each round packs is used by all of them; but what is kept of a tile stays within a number of
// bytes, and where some iterations of a tile do nothing (n <= m) there are few, so that most of these are left out.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/support/result.h"
#include "compiler/transforms/rounds.h"

namespace einc::strategy {

// Parts of so many positions, for threads that get `work` iterations at least, or for workgroups.
struct PartsOfRounds {
  int64_t width, work;
};

// `one`: of loops of so many positions there is one.
void sizeTiles(const ir::Kernel& kernel, transforms::Rounds& rounds, const ScheduleOptions& options,
               const std::optional<affine::Expr>& one = std::nullopt);

// Parts that threads may share; nothing where there can be none.
std::optional<PartsOfRounds> partsOf(const ir::Kernel& kernel, const transforms::Rounds& rounds,
                                     const ScheduleOptions& options);

// The same where the innermost of its rows is one: tiles are of what is around that, or there are none. Nothing, where it is
// known how many there are; else what is asked goes to `rows`.
std::optional<transforms::Rounds> ofOneRow(const ir::Kernel& kernel,
                                           const transforms::Rounds& rounds,
                                           const ScheduleOptions& options, affine::Expr& rows);

// Has rounds be in parts, where tiles are fewer than threads; or says why they are nowhere.
std::optional<Reason> cut(const ir::Kernel& kernel, transforms::Rounds& rounds,
                          const PartsOfRounds& parts, const ScheduleOptions& options);

}  // namespace einc::strategy
