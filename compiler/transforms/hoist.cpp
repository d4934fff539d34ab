// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/hoist.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace einc::transforms {
namespace {

// Takes out of the block, at any depth, the allocs that may stand before it.
void take(const ir::Kernel& kernel, ir::Block& block, ir::Block& taken) {
  auto moves = [&](const ir::Stmt& stmt) {
    auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
    if (!alloc || alloc->space != ir::Space::Heap) return false;
    const std::vector<affine::Expr>& shape = kernel.tensors[alloc->tensor].shape;
    return std::all_of(shape.begin(), shape.end(),
                       [](const affine::Expr& size) { return size.asConstant().has_value(); });
  };
  std::copy_if(block.begin(), block.end(), std::back_inserter(taken), moves);
  std::erase_if(block, moves);
  for (ir::Stmt& stmt : block) {
    auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
    if (loop && loop->grain) continue;
    for (ir::Block* inner : ir::blocksOf(stmt)) take(kernel, *inner, taken);
  }
}

void hoist(const ir::Kernel& kernel, ir::Block& block) {
  ir::Block result;
  for (ir::Stmt& stmt : block) {
    auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
    bool rounds = std::holds_alternative<ir::For>(stmt.node) || (loop && !loop->grain);
    for (ir::Block* inner : ir::blocksOf(stmt)) {
      hoist(kernel, *inner);
      if (rounds) take(kernel, *inner, result);
    }
    result.push_back(std::move(stmt));
  }
  block = std::move(result);
}

}  // namespace

void hoistAllocs(ir::Kernel& kernel) { hoist(kernel, kernel.body); }

}  // namespace einc::transforms
