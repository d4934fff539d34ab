// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether all that an op reads of inputs other ops have read just before: it is in the caches, and memory has nothing to do
// meanwhile (Along::nextBlock).
#pragma once

#include <set>

#include "compiler/ir/ir.h"
#include "compiler/strategy/shared_iterators.h"

namespace einc::strategy {

// Of ops that are done together on a block, the op of this number.
bool isReadAgain(const ir::Kernel& kernel, const Ops& ops, size_t number);

// Of an op in a loop over tiles: `before` are the tensors that ops before it in the loop have read.
bool isReadAgain(const ir::Kernel& kernel, const ir::StructuredOp& op,
                 const std::set<unsigned>& before);

}  // namespace einc::strategy
