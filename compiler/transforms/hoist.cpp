// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/hoist.h"

#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace einc::transforms {
namespace {

const ir::Alloc* heapIn(const ir::Stmt& stmt) {
  auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
  return alloc && alloc->space == ir::Space::Heap ? alloc : nullptr;
}

// What leaves a loop.
class Taker {
 public:
  Taker(const ir::Kernel& kernel, const ir::Stmt& loop) : kernel_(kernel) {
    noteSymbols(loop);
    for (const ir::Block* block : ir::blocksOf(loop))
      ir::forEachStatement(*block, [&](const ir::Stmt& stmt) {
        noteSymbols(stmt);
        if (auto* alloc = heapIn(stmt))
          for (const affine::Expr& size : kernel_.tensors[alloc->tensor].shape) noteNeeded(size);
      });
    // What a bound is made of stands before it.
    for (size_t before = 0; before != needed_.size();) {
      before = needed_.size();
      for (const ir::Block* block : ir::blocksOf(loop))
        ir::forEachStatement(*block, [&](const ir::Stmt& stmt) {
          auto* bound = std::get_if<ir::Bound>(&stmt.node);
          if (bound && needed_.count(bound->name) != 0)
            for (const affine::Expr& e : bound->of) noteNeeded(e);
        });
    }
  }

  // From the block, at any depth; memory, too, but from loops that threads share.
  void take(ir::Block& block, bool takesMemory) {
    auto moves = [&](const ir::Stmt& stmt) {
      if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) return moveBound(*bound);
      auto* alloc = heapIn(stmt);
      return takesMemory && alloc &&
             llvm::all_of(kernel_.tensors[alloc->tensor].shape,
                          [&](const auto& size) { return isOutside(size); });
    };
    ir::Block rest;
    for (ir::Stmt& stmt : block) (moves(stmt) ? taken : rest).push_back(std::move(stmt));
    block = std::move(rest);
    for (ir::Stmt& stmt : block) {
      auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
      for (ir::Block* inner : ir::blocksOf(stmt))
        take(*inner, takesMemory && !(loop && loop->grain));
    }
  }

  ir::Block taken;

 private:
  void noteSymbols(const ir::Stmt& stmt) {
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) inside_.insert(loop->size);
    if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) inside_.insert(bound->name);
    if (auto* lead = std::get_if<ir::Lead>(&stmt.node)) inside_.insert(lead->name);
  }
  void noteNeeded(const affine::Expr& e) {
    for (std::string& symbol : e.symbols()) needed_.insert(std::move(symbol));
  }
  bool isOutside(const affine::Expr& e) const {
    return !e.hasIterators() && llvm::none_of(e.symbols(), [&](const std::string& symbol) {
      return inside_.count(symbol) != 0;
    });
  }
  // What is divided may be so under a condition alone.
  static bool divides(const affine::Expr& e) {
    return llvm::any_of(e.terms(), [](const affine::Term& term) {
      return llvm::any_of(term.factors, [](const affine::Atom& atom) {
        return atom.div && !atom.div->divisor.asConstant();
      });
    });
  }
  bool moveBound(const ir::Bound& bound) {
    if (needed_.count(bound.name) == 0 ||
        !llvm::all_of(bound.of, [&](const affine::Expr& e) { return isOutside(e) && !divides(e); }))
      return false;
    inside_.erase(bound.name);
    return true;
  }

  const ir::Kernel& kernel_;
  std::set<std::string> inside_,
      needed_;  // symbols that the loop gives, and those in sizes of memory
};

void hoist(const ir::Kernel& kernel, ir::Block& block) {
  ir::Block result;
  for (ir::Stmt& stmt : block) {
    auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
    for (ir::Block* inner : ir::blocksOf(stmt)) hoist(kernel, *inner);
    if (loop || std::holds_alternative<ir::For>(stmt.node)) {
      Taker taker(kernel, stmt);
      for (ir::Block* inner : ir::blocksOf(stmt)) taker.take(*inner, !(loop && loop->grain));
      std::move(taker.taken.begin(), taker.taken.end(), std::back_inserter(result));
    }
    result.push_back(std::move(stmt));
  }
  block = std::move(result);
}

}  // namespace

void hoistAllocs(ir::Kernel& kernel) { hoist(kernel, kernel.body); }

}  // namespace einc::transforms
