// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which iterators of an op become digits (transforms/digits.h): those that are divided by a size, or
// by at least as much as a vector has lanes. There are neighbours along the lower digit then. A
// reduction only if its terms may come in another order.
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

// The whole digits are done in the best form that is left, and what is left of each in vectors only if its
// payload takes long.
Result<Form> digits(const Task& task, const Form& whole);

}  // namespace einc::strategy
