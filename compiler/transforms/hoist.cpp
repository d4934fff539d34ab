// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/hoist.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/transforms/builder.h"

namespace einc::transforms {
namespace {

class Hoist {
 public:
  explicit Hoist(ir::Kernel& kernel) : kernel_(kernel), builder_(kernel) {}

  void run(ir::Block& block) {
    ir::Block result;
    for (ir::Stmt& stmt : block) {
      auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
      bool rounds = std::holds_alternative<ir::For>(stmt.node) || (loop && !loop->grain);
      for (ir::Block* inner : ir::blocksOf(stmt)) {
        largest_.clear();
        if (loop) enter(*loop);
        if (rounds) take(*inner, result);
        run(*inner);
      }
      result.push_back(std::move(stmt));
    }
    block = std::move(result);
  }

 private:
  void enter(const ir::TileLoop& loop) {
    largest_[loop.var] = {constant(0)};
    largest_[loop.size] = {loop.step, loop.extent};
  }

  // Takes out of the block, at any depth, the allocs that may stand before it.
  void take(ir::Block& block, ir::Block& taken) {
    for (const ir::Stmt& stmt : block) {
      if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) largest_[bound->name] = bound->of;
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      if (!alloc || alloc->space != ir::Space::Heap) continue;
      for (affine::Expr& size : kernel_.tensors[alloc->tensor].shape) size = most(size, taken);
      taken.push_back(stmt);
    }
    std::erase_if(block, [](const ir::Stmt& stmt) {
      auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
      return alloc && alloc->space == ir::Space::Heap;
    });
    for (ir::Stmt& stmt : block) {
      auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
      if (loop && loop->grain) continue;
      if (loop) enter(*loop);
      for (ir::Block* inner : ir::blocksOf(stmt)) take(*inner, taken);
    }
  }

  // The size with the largest values of what is defined inside the loop, which are those of the
  // first tiles: sizes of buffers grow with those of tiles.
  affine::Expr most(const affine::Expr& size, ir::Block& taken) {
    return size.substitute([&](const affine::Atom& atom) -> std::optional<affine::Expr> {
      auto found = largest_.find(atom.name);
      if (found == largest_.end()) return std::nullopt;
      if (found->second.size() == 1 && found->second[0].asConstant()) return found->second[0];
      auto known = names_.find(atom.name);
      if (known == names_.end()) {
        std::vector<affine::Expr> of;
        for (const affine::Expr& e : found->second) of.push_back(most(e, taken));
        known = names_.emplace(atom.name, builder_.name(atom.name + "_most")).first;
        taken.push_back({ir::Bound{known->second, std::move(of)}});
      }
      return affine::Expr::symbol(known->second);
    });
  }

  ir::Kernel& kernel_;
  Builder builder_;
  std::map<std::string, std::vector<affine::Expr>> largest_;  // the least of these
  std::map<std::string, std::string> names_;                  // of their largest values
};

}  // namespace

void hoistAllocs(ir::Kernel& kernel) { Hoist(kernel).run(kernel.body); }

}  // namespace einc::transforms
