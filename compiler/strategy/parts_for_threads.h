// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A long reduction with few results, which threads share in parts: results alone are too few tasks.
//
//   let k_width = 4194304 floordiv (m * n + 1) + 1
//   when m * n <= 2048 and k_width * 2 <= k { parts k by k_width as k_part ... } otherwise { ... }
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

// Each part is done in the best form that is left; `whole` is that of the op.
Result<Form> parts(const Task& task, const Form& whole);

}  // namespace einc::strategy
