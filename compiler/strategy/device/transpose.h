// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// An op whose output lies in memory along another iterator than inputs of it: invocations that are
// neighbours cannot both read and write neighbours, and go through the workgroup's memory.
//
//   when contiguous(A, m) and contiguous(C, n) and 32 <= m and 32 <= n {
//     bind m by 32, n by 32 to workgroups                               others before, by 1
//     copy A (n, m) as A_transposed on workgroup (33) {
//       bind n over 4, m over 32 to invocations
//       loops
//     }
//     bind m over 4, n over 32 to invocations
//     loops
//   }
//
// A line of the tile has one element more than is used, so that columns are in different banks: G.
// Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA", NVIDIA 2009.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/target/device.h"

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
  WhenStep step;  // without what is done otherwise
  std::string reason;
};
Transposed transposed(const ir::Kernel& kernel, const ir::StructuredOp& op,
                      const TransposedAlong& along, const target::Device& device);

}  // namespace einc::strategy
