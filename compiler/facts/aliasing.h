// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which tensors may be one place in memory. Locals have their own; of arguments a call decides, within
// what the checks of calls let pass.
#pragma once

#include <vector>

#include "compiler/ir/ir.h"

namespace einc::facts {

// Whether a call may pass the very same view as `output` and `input` (indices of tensors, an output and
// an input): every element of the input is then last read in the iteration that overwrites it. True when
// one statement, without reductions, writes the output, under the map with which it reads the input, no later statement reads the
// input, and none reads an element of it for several results, as these may be done at different times. Of a kernel whose ops are
// whole.
bool mayShareMemory(const ir::Kernel& kernel, unsigned output, unsigned input);

// Of each tensor one that stands for all that a call may pass in the same place.
std::vector<unsigned> sharedPlaces(const ir::Kernel& kernel);

// The same of one tensor, whatever has become of the ops: arguments of one type may be in one place.
unsigned placeByType(const ir::Kernel& kernel, unsigned tensor);

}  // namespace einc::facts
