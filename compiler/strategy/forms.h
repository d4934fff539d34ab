// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The form that an op takes: of those in forms.def the one that the estimates prefer. One that may be
// taken in some cases alone has the next best in the others:
//
//   when m * n <= 2048 { parts k by k_width as k_part ... } otherwise { the next best }
#pragma once

#include <string>
#include <vector>

#include "compiler/strategy/form.h"

namespace einc::strategy {

// What the setting `strategy` may be.
const std::vector<std::string>& formNames();

// There is one for each op: loops. `task.settings` has been asked afterwards, and knows what of it
// was wrong.
Form bestForm(const Task& task);

// The same for a part of a reduction that threads share already.
Form bestFormOfPart(const Task& task);

}  // namespace einc::strategy
