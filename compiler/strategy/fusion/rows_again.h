// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Rows of an input that one op reduces, and another again, as it needs what the first has found in them. In rounds
// (find_rounds.h) they are read once:
//
//   op 0 (m, n: reduction) ins(%X[m, n]) outs(%S[m])
//   op 1 (m) ins(%S[m]) outs(%C[m])
//   op 2 (m, n: reduction) ins(%X[m, n], %C[m]) outs(%V[m])        after op 0 and 1, along the same n
//
// That is worth it where a row is more than a cache holds: else it is read again from there, and nothing is to be corrected.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"
#include "compiler/target/target.h"
#include "compiler/transforms/rounds.h"

namespace einc::strategy {

// Sizes the rounds, in which nothing but such rows is read again; or says why they are not worth it. What that depends on goes to
// `where`, unless the user wants them (`isWanted`).
std::optional<Reason> readOnce(const ir::Kernel& kernel, transforms::Rounds& rounds,
                               const target::Target& target, bool isWanted,
                               std::vector<ir::Condition>& where);

}  // namespace einc::strategy
