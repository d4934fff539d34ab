// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Whether an op may be computed where others read what it writes.
#pragma once

#include <span>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"

namespace einc::strategy {

// How many of the later ops read what the op writes, if each of these can compute it, from what is
// then still as it was; or why one cannot.
Result<int64_t> readersInline(const ir::Kernel& kernel, const ir::StructuredOp& op,
                              std::span<const ir::StructuredOp> later);

// It writes all of one tensor.
bool writesAllOfOne(const ir::Kernel& kernel, const ir::StructuredOp& op);

// The ops without that one, which those that read it compute.
std::vector<ir::StructuredOp> withoutOp(const ir::Kernel& kernel,
                                        const std::vector<ir::StructuredOp>& ops, size_t which);

}  // namespace einc::strategy
