// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops that stand in loops on workgroups before any step is done (transforms/rounds.h, in_tiles.h). Their steps begin there, as behind
// 'bind ... to workgroups':
//
//   tile m0 : m0_size = 0 .. M by 32 parallel on workgroups x {
//     alloc %S: tensor<32 x 32 x f32> in workgroup                        4096 bytes
//     tile n0 : n0_size = 0 .. N by 32 reduction {
//       op (m: parallel, n: parallel) outs(%S_here[m, n]) { 0.0 }         m0_size x n0_size, which are at most 32
//     }
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

struct Group {
  // How large something is at most: a tile, or what a workgroup's memory holds.
  std::vector<std::pair<affine::Expr, int64_t>> sizes;
  std::shared_ptr<int64_t>
      sharedBytes;  // that are taken of the workgroup's memory; copies share it

  void limit(const affine::Expr& size, int64_t most);
  // Where that is known.
  std::optional<int64_t> most(const affine::Expr& size) const;
  // How many positions the iterator of an op has at most, where that is known.
  std::optional<int64_t> most(const transforms::Builder& builder, const ir::StructuredOp& op,
                              const std::string& iterator) const;
};

// That in which statements inside this one stand; `around` is that in which it stands itself.
std::optional<Group> groupIn(const ir::Kernel& kernel, const ir::Stmt& stmt,
                             const std::optional<Group>& around);

}  // namespace einc::strategy
