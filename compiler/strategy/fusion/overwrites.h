// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A call may pass the very same array as an input and as a result, where the spec has read all of it before it is written
// (facts/aliasing.h). Rounds change the order of ops:
//
//   op (m, n: reduction) ins(%X[m, n], %B[m]) outs(%S[m])      in each round
//   op (m) ins(%B[m]) outs(%P[m])                              before them: in the place of B, this would overwrite it
#pragma once

#include "compiler/ir/ir.h"
#include "compiler/transforms/rounds.h"

namespace einc::strategy {

// Whether in these rounds an op may write in the place of what is read later.
bool overwritesInput(const ir::Kernel& contract, const transforms::Rounds& rounds);

}  // namespace einc::strategy
