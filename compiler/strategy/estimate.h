// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How long an iteration of an op takes, from the target's facts: computing, loads and stores of
// the first cache and what comes from beyond it happen at the same time, so that the slowest of them counts.
// It compares forms; it does not tell the time of a call, which depends on sizes.
#pragma once

#include "compiler/ir/ir.h"
#include "compiler/target/target.h"

namespace einc::strategy {

// What an iteration asks of a core. A vector's work counts by the part of it that one lane has.
struct Cost {
  double operations = 0;  // instructions that compute
  double moves = 0;       // instructions that load or store
  double bytes = 0;       // from beyond the first cache
  double latency = 0;     // cycles that the next iteration waits for this one
};

double cyclesOf(const Cost& cost, const target::Target& target);

// Instructions that compute the payload for one element, or for one vector of elements.
double operationsOf(const ir::StructuredOp& op, const target::Target& target);

}  // namespace einc::strategy
