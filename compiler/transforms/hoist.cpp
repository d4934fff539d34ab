// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/transforms/hoist.h"

#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/facts/signs.h"
#include "compiler/transforms/builder.h"
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
  Taker(Builder& builder, facts::Signs& signs, const ir::Stmt& loop)
      : builder_(builder), kernel_(builder.kernel()), signs_(signs) {
    noteSymbols(loop);
    for (const ir::Block* block : ir::blocksOf(loop))
      ir::forEachStatement(*block, [&](const ir::Stmt& stmt) {
        noteSymbols(stmt);
        if (auto* alloc = heapIn(stmt); alloc && alloc->over) under_.insert(*alloc->over);
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

  // From the block, at any depth; memory, too, but from loops that threads share, and from ways that are not always taken.
  void take(ir::Block& block, bool takesMemory) {
    auto moves = [&](ir::Stmt& stmt) {
      if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) return moveBound(*bound);
      auto* alloc = heapIn(stmt);
      return takesMemory && alloc && !alloc->over && under_.count(alloc->tensor) == 0 &&
             llvm::all_of(kernel_.tensors[alloc->tensor].shape,
                          [&](const auto& size) { return isOutside(size); });
    };
    ir::Block rest;
    for (ir::Stmt& stmt : block) (moves(stmt) ? taken : rest).push_back(std::move(stmt));
    block = std::move(rest);
    for (ir::Stmt& stmt : block) {
      auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
      const bool isWay = std::holds_alternative<ir::If>(stmt.node);
      for (ir::Block* inner : ir::blocksOf(stmt))
        take(*inner, takesMemory && !isWay && !(loop && loop->grain));
    }
  }

  ir::Block taken;

 private:
  void noteSymbols(const ir::Stmt& stmt) {
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) inside_.insert(loop->size);
    if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) inside_.insert(bound->name);
    if (auto* read = std::get_if<ir::Read>(&stmt.node)) inside_.insert(read->name);
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
  // What is divided may be so under a condition alone: where that does not hold, by 1.
  affine::Expr divided(const affine::Expr& e) {
    affine::Expr result;
    for (const affine::Term& term : e.terms()) {
      affine::Expr product = constant(term.coefficient);
      for (const affine::Atom& atom : term.factors) {
        if (!atom.div) {
          product = product * affine::Expr::term({1, {atom}});
          continue;
        }
        const affine::Expr by = atLeastOne(divided(atom.div->divisor)),
                           what = divided(atom.div->dividend);
        product =
            product * (atom.kind == affine::Atom::Kind::Mod ? what.mod(by) : what.floorDiv(by));
      }
      result = result + product;
    }
    return result;
  }
  affine::Expr atLeastOne(const affine::Expr& divisor) {
    if (divisor.asConstant()) return divisor;
    for (const auto& [known, symbol] : divisors_)
      if (known == divisor) return -size(symbol);
    const std::string name = builder_.name("minus_divisor");
    taken.push_back({ir::Bound{name, {constant(-1), -divisor}}});
    signs_.enter(std::get<ir::Bound>(taken.back().node));
    divisors_.emplace_back(divisor, name);
    return -size(name);
  }
  // Under no condition it is negative.
  bool dividesByCounts(const affine::Expr& e) const {
    return llvm::all_of(e.terms(), [&](const affine::Term& term) {
      return llvm::all_of(term.factors, [&](const affine::Atom& atom) {
        return !atom.div ||
               (signs_.isNonNegative(atom.div->divisor) && dividesByCounts(atom.div->divisor) &&
                dividesByCounts(atom.div->dividend));
      });
    });
  }
  bool moveBound(ir::Bound& bound) {
    if (needed_.count(bound.name) == 0 || !llvm::all_of(bound.of, [&](const affine::Expr& e) {
          return isOutside(e) && dividesByCounts(e);
        }))
      return false;
    for (affine::Expr& e : bound.of) e = divided(e);
    inside_.erase(bound.name);
    return true;
  }

  Builder& builder_;
  const ir::Kernel& kernel_;
  facts::Signs& signs_;
  std::vector<std::pair<affine::Expr, std::string>> divisors_;
  std::set<unsigned> under_;  // memory that others take over: these stay together
  std::set<std::string> inside_,
      needed_;  // symbols that the loop gives, and those in sizes of memory
};

void hoist(Builder& builder, facts::Signs& signs, ir::Block& block) {
  ir::Block result;
  for (ir::Stmt& stmt : block) {
    auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
    for (ir::Block* inner : ir::blocksOf(stmt)) hoist(builder, signs, *inner);
    if (loop || std::holds_alternative<ir::For>(stmt.node)) {
      Taker taker(builder, signs, stmt);
      for (ir::Block* inner : ir::blocksOf(stmt)) taker.take(*inner, !(loop && loop->grain));
      std::move(taker.taken.begin(), taker.taken.end(), std::back_inserter(result));
    }
    result.push_back(std::move(stmt));
  }
  block = std::move(result);
}

}  // namespace

void hoistAllocs(ir::Kernel& kernel) {
  facts::Signs signs(kernel);
  ir::forEachStatement(kernel.body, [&](const ir::Stmt& stmt) {
    if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) signs.enter(*bound);
  });
  Builder builder(kernel);
  hoist(builder, signs, kernel.body);
}

}  // namespace einc::transforms
