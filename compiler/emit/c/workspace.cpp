// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/workspace.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace einc::emit {

bool usesHeap(const ir::Block& code) {
  return std::any_of(code.begin(), code.end(), [](const ir::Stmt& stmt) {
    if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node)) return alloc->space == ir::Space::Heap;
    if (std::holds_alternative<ir::ExternalCall>(stmt.node)) return false;
    std::vector<const ir::Block*> blocks = ir::blocksOf(stmt);
    return std::any_of(blocks.begin(), blocks.end(),
                       [](const ir::Block* inner) { return usesHeap(*inner); });
  });
}

namespace {

ir::Block sizesInside(const ir::Block& block, bool ofThreads, bool inLoop, bool onThreads) {
  ir::Block result;
  auto add = [&](ir::Block statements) {
    std::move(statements.begin(), statements.end(), std::back_inserter(result));
  };
  for (const ir::Stmt& stmt : block) {
    bool names = std::holds_alternative<ir::Bound>(stmt.node) ||
                 std::holds_alternative<ir::View>(stmt.node);  // conditions may be about views
    if (names && !inLoop) result.push_back(stmt);
    if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node))
      if (alloc->space == ir::Space::Heap && onThreads == ofThreads) result.push_back(stmt);
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) {
      // Loops whose rounds take as much as their tiles need are gone through.
      ir::TileLoop copy = *loop;
      bool own = !ofThreads && !onThreads && !inLoop && !loop->grain;
      copy.body = sizesInside(loop->body, ofThreads, !own, onThreads || loop->grain);
      if (!own)
        add(std::move(copy.body));
      else if (hasAllocs(copy.body))
        result.push_back({std::move(copy)});
    }
    if (auto* region = std::get_if<ir::NonTemporal>(&stmt.node))
      add(sizesInside(region->body, ofThreads, inLoop, onThreads));
    if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node)) {
      ir::LibraryCall copy = *call;
      copy.body = sizesInside(call->body, ofThreads, inLoop, onThreads);
      if (inLoop)
        add(std::move(copy.body));
      else if (usesHeap(copy.body))
        result.push_back({std::move(copy)});
    }
    if (auto* test = std::get_if<ir::If>(&stmt.node)) {
      ir::If copy{test->conditions, sizesInside(test->then, ofThreads, inLoop, onThreads),
                  sizesInside(test->otherwise, ofThreads, inLoop, onThreads)};
      if (inLoop) {  // of tiles, perhaps
        add(std::move(copy.then));
        add(std::move(copy.otherwise));
      } else if (usesHeap(copy.then) || usesHeap(copy.otherwise)) {
        result.push_back({std::move(copy)});
      }
    }
  }
  return result;
}

}  // namespace

ir::Block sizesOnly(const ir::Block& block, bool ofThreads) {
  return sizesInside(block, ofThreads, /*inLoop=*/false, /*onThreads=*/false);
}

ir::Block withoutUnused(ir::Block block, std::set<std::string>& used) {
  ir::Block result;
  auto use = [&](const affine::Expr& e) {
    for (std::string& symbol : e.symbols()) used.insert(std::move(symbol));
  };
  for (size_t i = block.size(); i-- > 0;) {
    ir::Stmt& stmt = block[i];
    if (auto* bound = std::get_if<ir::Bound>(&stmt.node)) {
      if (!used.count(bound->name)) continue;
      for (const affine::Expr& e : bound->of) use(e);
    }
    if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node))
      call->body = withoutUnused(std::move(call->body), used);
    if (auto* loop = std::get_if<ir::TileLoop>(&stmt.node)) {
      loop->body = withoutUnused(std::move(loop->body), used);
      use(loop->extent);
      use(loop->step);
    }
    if (auto* test = std::get_if<ir::If>(&stmt.node)) {
      for (ir::Block* inner : ir::blocksOf(stmt)) *inner = withoutUnused(std::move(*inner), used);
      for (const ir::Condition& c : test->conditions) {
        use(c.left);
        use(c.right);
      }
    }
    result.push_back(std::move(stmt));
  }
  std::reverse(result.begin(), result.end());
  return result;
}

bool takesInRounds(const ir::Block& body) {
  return std::any_of(body.begin(), body.end(), [](const ir::Stmt& stmt) {
    if (auto* alloc = std::get_if<ir::Alloc>(&stmt.node)) return alloc->space == ir::Space::Heap;
    auto* loop = std::get_if<ir::TileLoop>(&stmt.node);
    if ((loop && loop->grain) || std::holds_alternative<ir::ExternalCall>(stmt.node)) return false;
    std::vector<const ir::Block*> blocks = ir::blocksOf(stmt);
    return std::any_of(blocks.begin(), blocks.end(),
                       [](const ir::Block* inner) { return takesInRounds(*inner); });
  });
}

bool hasAllocs(const ir::Block& block) {
  bool found = false;
  ir::forEachStatement(
      block, [&](const ir::Stmt& stmt) { found |= std::holds_alternative<ir::Alloc>(stmt.node); });
  return found;
}

}  // namespace einc::emit
