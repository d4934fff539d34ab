// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What lanes along an iterator find in memory, as the spec has its tensors: row-major.
#pragma once

#include <string>

#include "compiler/ir/ir.h"

namespace einc::strategy {

// The iterator along which an operand of a row-major tensor is contiguous, or "". Dimensions of one
// position do not count.
std::string contiguous(const ir::Kernel& kernel, const ir::Operand& operand);

// Whether lanes along `axis` are at one distance from each other, and end together, or begin and end
// where masks can say so. Otherwise each of them is looked at on its own.
bool suitsLanes(const ir::Operand& operand, const std::string& axis, bool masks);

// Whether an element is several lanes, as its index is divided by a number: these suit, too.
bool spreads(const ir::Operand& operand, const std::string& axis);

// Vectors that are cut off compute positions behind the end as well, which have to be numbers, too:
// far from 2^63, if elements that lie in memory are so few places apart. Attributes may be anything.
bool arePositionsNear(const ir::Kernel& kernel, const ir::StructuredOp& op);

}  // namespace einc::strategy
