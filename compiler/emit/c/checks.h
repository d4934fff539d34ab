// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The body of NAME_check: everything that can be wrong with a call, before data is touched. The
// order is that of the reference interpreter (interp/contract.h), then what only C can get wrong:
// null data, misaligned data.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/c/scope.h"

namespace einc::emit {

// The initializer of an argument's einc_view.
std::string viewText(Prelude& prelude, const std::string& argument, size_t rank);

// What is looked at for NULL before sizes are read; what has to be right before attributes are; and
// all else.
struct CheckStatements {
  std::string null, attributes, others;
  bool asks = false;  // they use a variable, `status`
};

// Statements, without the final return. With `narrow`, what is computed of indices has to fit 32
// bits, too.
CheckStatements checkStatements(const ir::Kernel& contract, KernelScope& scope, Prelude& prelude,
                                bool narrow);

// Statements that return 1 in the usual case, in which nothing is wrong, after few instructions,
// and 0 where the check has to find out. Empty for kernels that need more than sizes, strides and
// addresses to be looked at.
std::string usualStatements(const ir::Kernel& contract, KernelScope& scope, Prelude& prelude);

// The same for arguments of known sizes, row by row without gaps; empty if not all are known.
std::string denseStatements(const ir::Kernel& contract, KernelScope& scope, Prelude& prelude);

// An index expression as an einc_range; iterators range over their extents.
using ExtentOf = std::function<std::string(const std::string&)>;
std::string rangeText(const affine::Expr& expr, KernelScope& scope, Prelude& prelude,
                      const ExtentOf& extent);

// The workspace's bytes as an einc_range, from the sizes of local tensors.
std::string workspaceRange(const ir::Kernel& contract, KernelScope& scope, Prelude& prelude);

}  // namespace einc::emit
