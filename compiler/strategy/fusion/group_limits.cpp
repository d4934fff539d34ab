// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/group_limits.h"

#include <algorithm>
#include <string>

#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {

int64_t bytesInGroup(ir::ScalarType type) { return std::max<int64_t>(ir::info(type).bytes(), 4); }

std::optional<Reason> noRoom(const target::Device& device, std::optional<int64_t> bytes) {
  if (bytes && *bytes <= device.sharedBytes) return std::nullopt;
  return Reason{"a workgroup has " + std::to_string(device.sharedBytes) +
                " bytes of memory, and what is kept of a tile would take " +
                (bytes ? std::to_string(*bytes) : "more")};
}

std::optional<Reason> limitLoops(const affine::Expr& rounds, const target::Device& device,
                                 std::vector<ir::Condition>& where) {
  if (device.rounds == 0) return std::nullopt;
  const affine::Expr most = transforms::constant(device.rounds);
  if (rounds.asConstant().value_or(0) > device.rounds)
    return Reason{"an invocation would run more rounds of loops than it may"};
  if (!rounds.asConstant()) where.push_back({ir::Condition::Kind::LessEqual, rounds, most});
  return std::nullopt;
}

}  // namespace einc::strategy
