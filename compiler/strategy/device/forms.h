// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done at each position on a device: the forms of forms.def, each where its guard holds, and else the next.
//
//   when 1 <= M and M <= 64 and 4096 < N {              few positions: parts.h
//     let ...
//     parts n by parts_width as n_part together { ... } combine { ... }
//   } otherwise {
//     when 16 < N and contiguous(X, n) {                much to do: rows.h
//       bind m by 4 to workgroups
//       lanes n over 32
//       loops
//     } otherwise {                                     little: flat.h
//       bind m to invocations
//       loops
//     }
//   }
#pragma once

#include <string>
#include <vector>

#include "compiler/strategy/device/task.h"

namespace einc::strategy {

struct DeviceSteps {
  Steps steps;
  std::vector<std::string> lines;  // for people
};

DeviceSteps stepsAt(const DeviceTask& task);

}  // namespace einc::strategy
