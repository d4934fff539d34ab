// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which tensors statements use, by themselves or through views of them, and which sizes they give.
#pragma once

#include <set>
#include <string>

#include "compiler/ir/ir.h"

namespace einc::ir {

// Operands of ops, and what views are of; in statements inside, too.
std::set<unsigned> tensorsIn(const Stmt& stmt);

// What statements in the block, at any depth, have of a tensor they have of another one then. Above level vector, where no
// value loads an element.
void replaceTensor(Block& block, unsigned tensor, unsigned by);

// Whether nothing but this tensor shows its elements: a local that has no view, or the only view of one that no op uses.
bool isLocalAlone(const Kernel& kernel, unsigned tensor);

// What views in the block, at any depth, are of.
std::set<unsigned> viewedIn(const Block& block);

// The names of the block's own bounds. Locals may be as large as those of a kernel's body say, which stand before their uses.
std::set<std::string> boundsOf(const Block& block);
// The last of these bounds on which a local's size depends; null if there is none.
const Bound* lastBoundOf(const Kernel& kernel, unsigned local);

}  // namespace einc::ir
