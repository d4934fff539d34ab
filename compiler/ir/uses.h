// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Which tensors statements use, by themselves or through views of them.
#pragma once

#include <set>

#include "compiler/ir/ir.h"

namespace einc::ir {

// Operands of ops, and what views are of; in statements inside, too.
std::set<unsigned> tensorsIn(const Stmt& stmt);

// What views in the block, at any depth, are of.
std::set<unsigned> viewedIn(const Block& block);

}  // namespace einc::ir
