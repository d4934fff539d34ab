// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// When an output is so large that it goes around the caches.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"

namespace einc::strategy {

// More than `large` bytes, where elements have so many: more than `limit` positions. Nothing where
// there are fewer, for certain.
struct Beyond {
  std::vector<affine::Expr>
      sizes;  // not 0: then they have a product, as their elements are in memory
  affine::Expr count;
  int64_t limit;
};
std::optional<Beyond> beyondCaches(const std::vector<affine::Expr>& extents, int64_t bytes,
                                   int64_t large);

// The tensor of which this one is a view, or a view of a view; or itself.
unsigned memoryOf(const ir::Kernel& kernel, unsigned tensor);

// Bytes of the op's output above which it goes around the caches: the more inputs as large as it
// take room there, the fewer.
int64_t largeOutput(const ir::StructuredOp& op, const target::Target& target);

// What has to hold: there are elements, and they have more than `large` bytes. Nothing where the output
// should stay in the caches at any size: it is read, too, here or by another op of the kernel, it is
// known to be small, or a vector of it has few bytes. Of a tile the size of all counts, which is in the caches in the end. `whole` is
// the op of which this is a block, or null.
std::optional<std::vector<Test>> whereLarge(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                            const ScheduleOptions& options, int64_t large,
                                            const ir::StructuredOp* whole = nullptr);

}  // namespace einc::strategy
