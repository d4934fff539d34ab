// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An op whose output lies in memory along another iterator than inputs of it: invocations that are
// neighbours cannot both read and write neighbours, and go through the workgroup's memory.
//
//   tile m0 by 32, n0 by 32 parallel {                     workgroups; other iterators along z
//     alloc %A_transposed: tensor<32 x 33> in workgroup
//     tile ty by 1, tx by 1 parallel { rounds of ty: %A_transposed[ty, tx] = %A[n0 + ty, m0 + tx] }
//     tile ty by 1, tx by 1 parallel { rounds of ty: %C[m0 + ty, n0 + tx] = %A_transposed[tx, ty] }
//   }
//
// A line of the tile has one element more than is used, so that columns are in different banks: G.
// Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA", NVIDIA 2009.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/target/device.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

// Inputs that lie along `m`, where the output lies along `n`.
struct TransposedAlong {
  std::string m, n;
  std::vector<size_t> inputs;
};
// Nothing for an op that is not of this form, or that reduces.
std::optional<TransposedAlong> transposedAlong(const ir::Kernel& kernel, const ir::StructuredOp& op,
                                               const target::Device& device);

struct Transposed {
  ir::Block names;                        // views that conditions and block are over
  std::vector<ir::Condition> conditions;  // under which it pays
  std::string reason;
  ir::Block block;
};

Transposed transposed(transforms::Builder& builder, ir::StructuredOp op,
                      const TransposedAlong& along, const target::Device& device);

}  // namespace einc::strategy
