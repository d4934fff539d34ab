// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Reductions in two steps, parts first and then the sums of the parts, where an invocation or a
// workgroup for each position would leave most of a device idle.
//
//   let parts_count = min(1024 floordiv M + 1, 1024, N floordiv 256)
//   let parts_width = N floordiv parts_count
//   parts n by parts_width as n_part together {       what memory for parts starts from, and the parts
//     bind n_part to workgroups ...
//   } combine {                                       the sums of the parts, and what is behind the last
//     bind m by 4 to workgroups ...
//   }
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/strategy/device/positions.h"
#include "compiler/strategy/device/work.h"
#include "compiler/target/device.h"

namespace einc::strategy {

struct Parts {
  std::vector<Test> tests;  // under which it pays
  std::string reason;
  Steps steps;
};

// Few positions with much to do at each. Invocations share the terms of a part.
std::optional<Parts> partsOfFew(const Positions& at, const target::Device& device,
                                const PositionWork& work);
// More positions, but where what is added up is apart in memory, so that an invocation is to go
// along it alone, beside others that read its neighbours.
std::optional<Parts> partsAcross(const Positions& at, const target::Device& device,
                                 const PositionWork& work);

}  // namespace einc::strategy
