// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The best forms of forms.def on a device. Of what is done at each position, each where its guard holds, and else the
// next:
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

#include <optional>

#include "compiler/strategy/device/product.h"
#include "compiler/strategy/device/task.h"
#include "compiler/support/result.h"

namespace einc::strategy {

// What `strategy` takes: the names of all.
const std::vector<std::string>& deviceFormNames();

// With its estimates, for people. The form that is wanted by its name, if one is, comes before all others, each where it
// may be taken; the reason is why the ops cannot take it at all. If none is wanted there always is one.
Result<Form> bestAt(const DeviceTask& task, const std::string& wanted);

// Those around it: where they may be taken, if one can be at all.
std::optional<Form> bestAround(const DeviceRegion& region);

}  // namespace einc::strategy
