// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Windows whose channels may be fewer than a product of matrices has columns in a tile of registers: where they are one vector,
// and windows are faster then, several of these share what they read.
//
//   when f == 16 { windows } otherwise { a product of matrices }
//
// What is measured decides, as estimates of both are alike. A sum that has its start, or other ops, on its tiles stays a
// product.
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> fewChannels(const Task& task, const Form& whole);

}  // namespace einc::strategy
