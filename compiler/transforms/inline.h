// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An op takes the place of its results: what it writes is computed where it is read.
//
//   before  op (m: parallel) ins(%A[m]) outs(%T[m]) { (a, t) -> exp(a) }
//           op (i: parallel, j: parallel) ins(%T[i + j], %B[j]) outs(%C[i, j])
//               { (t, b, c) -> mul(t, b) }
//   after   op (i: parallel, j: parallel) ins(%A[i + j], %B[j]) outs(%C[i, j])
//               { (a, b, c) -> mul(exp(a), b) }
#pragma once

#include <optional>

#include "compiler/ir/ir.h"

namespace einc::transforms {

// `consumer` with the payload of `producer` where it reads what that writes. Nothing where it
// can't be: the producer has a reduction, several results, or does not write its whole output,
// element by element; the consumer updates it, or reads outside of it; an iterator would get
// another extent. Whether memory is as it was when the producer ran is for the caller to know.
std::optional<ir::StructuredOp> inlined(const ir::Kernel& kernel, const ir::StructuredOp& producer,
                                        const ir::StructuredOp& consumer);

// Whether the op writes each element of its one output once, and does not read it.
bool isWholeMap(const ir::Kernel& kernel, const ir::StructuredOp& op);

}  // namespace einc::transforms
