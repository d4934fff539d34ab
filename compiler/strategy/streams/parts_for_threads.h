// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A long reduction with few results, which threads share in parts: results alone are too few tasks.
//
//   let k_least = 4194304 floordiv (m * n + 1) + 2
//   let k_width = k floordiv (k floordiv k_least + 1) + 1 floordiv (k + 1)
//   when m * n <= 2048 and k_least * 2 <= k and 0 < k_width { parts k by k_width as k_part ... } otherwise { ... }
//
// Parts are as long as each other, so that what is left behind the last of them is shorter than there are parts. Where
// only `k` is not a number, `k_width` is one, and what is left may be as long as a part.
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

// Each part is done in the best form that is left; `whole` is that of the op. What comes before and after the parts is
// little, and done by one thread, vector by vector, wherever operands lie.
Result<Form> parts(const Task& task, const Form& whole);

}  // namespace einc::strategy
