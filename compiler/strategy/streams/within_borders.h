// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What lies along another iterator than it is written, and is read outside its tensor at the ends of other iterators than the
// output's line: between these, as if nothing was outside; at them vectors along the line, each of which is asked once.
//
//   op (h: parallel, n: parallel, c: parallel) ins(%A[c, h - 1, n] pad 0.0) outs(%C[h, n, c]) { (a, c) -> a }
//
//   when borders(h) {
//     interior h {
//       when inside { the best form of op ... ins(%A_inside[c, h, n]) } otherwise { lines along c }
//     } border { lines along c }
//   } otherwise { loops }
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> withinBorders(const Task& task, const Form& whole);

}  // namespace einc::strategy
