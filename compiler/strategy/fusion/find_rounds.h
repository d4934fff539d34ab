// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that may be done in rounds (in_rounds.h).
//
//   op 0 (m, n, d: reduction) ins(%Q[m, d], %K[n, d]) outs(%S[m, n])     in rounds along n, which is one iterator of ops 0 to
//   op 1 (m, n: reduction) ins(%S[m, n]) outs(%L[m])                     2, as %S has it; tiles are of m, which all of them
//   op 2 (m, n: reduction) ins(%S[m, n], %L[m]) outs(%T[m])              have; %L is a bound, and %T changes with it
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/decision.h"
#include "compiler/strategy/fusion/size_rounds.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/shared_iterators.h"
#include "compiler/support/result.h"
#include "compiler/transforms/rounds.h"

namespace einc::strategy {

struct FoundRounds {
  size_t first;  // the number of the first op
  transforms::Rounds rounds;
  std::vector<ir::Condition> where = {};  // else they are done one by one
  std::optional<PartsOfRounds> parts = {};
  size_t last() const { return first + rounds.ops.size() - 1; }
};

// The first ones among ops that stand one behind the other, from `begin` on; what cannot be goes to `why`.
std::optional<FoundRounds> findRounds(const ir::Kernel& kernel, const Ops& ops, size_t begin,
                                      const ScheduleOptions& options,
                                      std::vector<RoundsReport>& why);

}  // namespace einc::strategy
