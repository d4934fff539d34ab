// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An op whose innermost index moves by an attribute, as that of a convolution does by its stride: it is 1 nearly
// always, and then neighbours are neighbours in memory.
//
//   when strides[1] == 1 { what is best where I(..., ow + kw) is read } otherwise { the best form }
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> unitSteps(const Task& task, const Form& whole);

}  // namespace einc::strategy
