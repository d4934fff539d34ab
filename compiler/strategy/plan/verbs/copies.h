// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What 'copy' and 'convert' share: memory for what is read of an input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/strategy/plan/verbs/place.h"
#include "compiler/support/result.h"

namespace einc::strategy {

// How much memory there is to be along each iterator: as much as it has, before all loops; in a loop what
// it has at most. `bytes` of an element.
Result<std::vector<affine::Expr>> roomFor(const Work& work, const At& here,
                                          const std::vector<std::string>& names, int64_t bytes,
                                          bool isOnStack);

// The number of an input that may be copied.
Result<size_t> inputOf(const Work& work, const At& here, const OperandName& name);

void take(const Work& work, unsigned buffer, CopyStep::Where where, ir::Block& block);

}  // namespace einc::strategy
