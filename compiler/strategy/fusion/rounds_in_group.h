// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops in rounds (find_rounds.h) on a device: a workgroup does a tile, and what is kept of it is in the workgroup's memory, of
// which there is little. A row that is kept for all rounds, and may be long, is taken apart, too:
//
//   U(m, e) +=! P(m, n) * V(n, e)          tiles of m and of e, each a workgroup's: of U 32 x 64 elements are kept. P, in
//                                          which there is no e, is computed again for each part of e
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"
#include "compiler/target/device.h"
#include "compiler/transforms/rounds.h"

namespace einc::strategy {

// Where an op's iterator stands in the others, by their numbers; nothing where one of them uses it in another way.
using Along = std::function<std::optional<std::map<size_t, std::string>>(
    size_t op, const std::string& iterator)>;

// Adds loops over rows of more than `most` elements, or of who knows how many; or why they cannot be. What else is a result for
// all of a row needs one part to be all: that goes to `where`.
std::optional<Reason> partRows(const ir::Kernel& kernel, transforms::Rounds& rounds, int64_t most,
                               const Along& along, std::vector<ir::Condition>& where);

// Whether some of the ops are done again in each round of a loop.
bool isPartOfRows(const transforms::Rounds::Loop& loop);

// What partRows has found, for the parts that there are now.
void limitRows(const transforms::Rounds& rounds, std::vector<ir::Condition>& where);

// What is kept of tiles of these sizes, about: dimensions that are not known have `unknown` positions.
int64_t bytesKept(const ir::Kernel& kernel, const transforms::Rounds& rounds, int64_t unknown);

// Why a workgroup's memory does not hold what is kept of tiles of these sizes.
std::optional<Reason> tooLarge(const ir::Kernel& kernel, const transforms::Rounds& rounds,
                               const target::Device& device);

// Smaller tiles, until it does.
std::optional<Reason> shrink(const ir::Kernel& kernel, transforms::Rounds& rounds,
                             const target::Device& device);

// Some devices limit how many rounds of loops an invocation runs: where these tiles keep that goes to `where`; or why they never
// do.
std::optional<Reason> limitLoops(const ir::Kernel& kernel, const transforms::Rounds& rounds,
                                 const target::Device& device, std::vector<ir::Condition>& where);

}  // namespace einc::strategy
