// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// How much memory a kernel's loops take from the heap: the statements of the loops that say so, and
// no others, as a function of their own has them.
#pragma once

#include <set>
#include <string>

#include "compiler/ir/ir.h"

namespace einc::emit {

// Whether code takes memory from the heap. What an external call stands for takes none.
bool usesHeap(const ir::Block& code);

bool hasAllocs(const ir::Block& block);

// Whether allocs of the block itself do.
bool takesHeap(const ir::Block& block);

// Whether any of it is used for one thing after the other: by rounds of a loop, or several blocks.
bool usesHeapAgain(const ir::Block& code);

// The code where no element is known: what elements say (ir::Read) and `elements`, to which their names go. A bound is what else
// it is of. A condition on such a number is not known: the If has none. A loop runs as far as it may, or once.
ir::Block withoutElements(const ir::Block& block, std::set<std::string>& elements);

// Only what says how large buffers in the heap are: those of each thread (`ofThreads`), whose sizes
// are known outside of all loops, or the others. A block whose conditions are not known, as they are
// of tiles, is in an If without conditions: any of its blocks may run.
ir::Block sizesOnly(const ir::Block& block, bool ofThreads);

// Without bounds that nothing uses: `used` are the sizes that what follows the block uses.
ir::Block withoutUnused(ir::Block block, std::set<std::string>& used);

}  // namespace einc::emit
