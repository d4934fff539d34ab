// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An iterator along which some operands lie, and others do not, may have one position, as the images of a batch do: then
// neighbours lie along the one before it.
//
//   op (c: parallel, n: parallel, w: parallel) ins(%T[w, c, n]) outs(%C[c, n, w]) { (t, c) -> t }
//
//   when n == 1 {
//     tile n by 1
//     the best form of op (c: parallel, w: parallel) ins(%T[w, c]) outs(%C[c, w])
//   } otherwise { the best form }
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> singleWritten(const Task& task,
                           const Form& whole);  // the output's, or the first of the inputs'
Result<Form> singleRead(const Task& task, const Form& whole);  // another one

}  // namespace einc::strategy
