// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What a device allows a workgroup that does several ops one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"
#include "compiler/target/device.h"

namespace einc::strategy {

// Of an element in a workgroup's memory.
int64_t bytesInGroup(ir::ScalarType type);

// Why a workgroup's memory does not hold what is kept of a tile, if so many bytes; nothing: more than can be said.
std::optional<Reason> noRoom(const target::Device& device, std::optional<int64_t> bytes);

// Some devices limit how many rounds of loops an invocation runs: where that many are allowed goes to `where`, in the place of
// what was there for others; or why they never are.
std::optional<Reason> limitLoops(const affine::Expr& rounds, const target::Device& device,
                                 std::vector<ir::Condition>& where);

}  // namespace einc::strategy
