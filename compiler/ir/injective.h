// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether an operand's map tells all iterations apart.
#pragma once

#include "compiler/ir/ir.h"

namespace einc::ir {

// True if two iterations that differ in a parallel iterator never address the same element through
// the operand's map. Proved for maps that are linear in the iterators: a dimension with one
// iterator (and a constant, non-zero coefficient) fixes it; a dimension with several fixes them if
// it is a mixed-radix number, sum(c_i * x_i) where each |c_i| exceeds the reach of all smaller ones
// (all extents constant but the one with the largest coefficient): O[2*h + b] with b < 2.
bool isInjective(const Kernel& kernel, const StructuredOp& op, unsigned operand);

}  // namespace einc::ir
