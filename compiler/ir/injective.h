// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether an operand's map tells all iterations apart: what keeps parallel iterations from racing.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::ir {

// True if two iterations that differ in a parallel iterator never address the same element through
// the operand's map: O[h, b], O[2*h + b] with b < 2, O[h + b, h - b]. Exact for affine maps and
// extents; dimensions that are not affine (O[h * stride]) tell nothing apart.
bool isInjective(const Kernel& kernel, const StructuredOp& op, unsigned operand);

// Two iterations that address one element, "m = 0, n = 2, m' = 1, n' = 0", and sizes for which they
// do; empty if none is known.
std::string meetingIterations(const Kernel& kernel, const StructuredOp& op, unsigned operand);

}  // namespace einc::ir
