// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What is done with ops that share positions, on each of which much is to be done: the forms of a
// device (forms.def), each where its guard holds, and else the next.
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

#include "compiler/strategy/device/positions.h"
#include "compiler/strategy/device/rows.h"
#include "compiler/strategy/device/work.h"
#include "compiler/strategy/form.h"
#include "compiler/target/device.h"

namespace einc::strategy {

// What a form of a device is asked.
struct SharingTask {
  const Positions& at;
  const target::Device& device;
  const PositionWork& work;
  DeviceRows rows;  // of a workgroup, as there is memory for
  DeviceRows all;   // the same where a workgroup does one
  bool mayBeInParts;
};

struct Sharing {
  Steps steps;
  std::vector<std::string> lines;  // for people
};

// `wanted` are rows of a workgroup, if there is memory for them.
Sharing sharingSteps(const Positions& at, const target::Device& device, const PositionWork& work,
                     const DeviceRows& wanted, bool mayBeInParts);

}  // namespace einc::strategy
