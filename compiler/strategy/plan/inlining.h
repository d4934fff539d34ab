// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether an op may be computed where others read what it writes.
#pragma once

#include <span>
#include <vector>

#include "compiler/ir/ir.h"

namespace einc::strategy {

// Whether each of the later ops that reads what the op writes can compute it, from what is then
// still as it was. `readers` gets how many these are.
bool isReadInline(const ir::Kernel& kernel, const ir::StructuredOp& op,
                  std::span<const ir::StructuredOp> later, int64_t& readers);

// It writes all of one tensor.
bool writesAllOfOne(const ir::Kernel& kernel, const ir::StructuredOp& op);

// The ops without that one, which those that read it compute.
std::vector<ir::StructuredOp> withoutOp(const ir::Kernel& kernel,
                                        const std::vector<ir::StructuredOp>& ops, size_t which);

}  // namespace einc::strategy
