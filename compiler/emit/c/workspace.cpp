// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/c/workspace.h"

#include <algorithm>
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

// How many blocks take some; one in a loop, but for those on threads, does so several times.
int takers(const ir::Block& block, bool inLoop) {
  int count = takesHeap(block) ? 1 + static_cast<int>(inLoop) : 0;
  for (const ir::Stmt& stmt : block) {
    if (std::holds_alternative<ir::ExternalCall>(stmt.node)) continue;
    auto* tiles = std::get_if<ir::TileLoop>(&stmt.node);
    const bool loops = tiles ? !tiles->grain : std::holds_alternative<ir::For>(stmt.node);
    for (const ir::Block* inner : ir::blocksOf(stmt)) count += takers(*inner, inLoop || loops);
  }
  return count;
}

ir::Block sizesInside(const ir::Block& block, bool ofThreads, bool inLoop, bool onThreads) {
  ir::Block result;
  auto add = [&](ir::If test) {
    if (usesHeap(test.then) || usesHeap(test.otherwise)) result.push_back({std::move(test)});
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
        add({{}, std::move(copy.body), {}});
      else if (usesHeap(copy.body))
        result.push_back({std::move(copy)});
    }
    if (auto* region = std::get_if<ir::NonTemporal>(&stmt.node))
      add({{}, sizesInside(region->body, ofThreads, inLoop, onThreads), {}});
    if (auto* call = std::get_if<ir::LibraryCall>(&stmt.node)) {
      ir::LibraryCall copy = *call;
      copy.body = sizesInside(call->body, ofThreads, inLoop, onThreads);
      if (inLoop)
        add({{}, std::move(copy.body), {}});
      else if (usesHeap(copy.body))
        result.push_back({std::move(copy)});
    }
    if (auto* test = std::get_if<ir::If>(&stmt.node))
      add({inLoop ? std::vector<ir::Condition>() : test->conditions,  // of tiles, perhaps
           sizesInside(test->then, ofThreads, inLoop, onThreads),
           sizesInside(test->otherwise, ofThreads, inLoop, onThreads)});
  }
  return result;
}

}  // namespace

ir::Block withoutElements(const ir::Block& block, std::set<std::string>& elements) {
  auto isOfElements = [&](const affine::Expr& e) {
    auto isElement = [&](const std::string& name) { return elements.count(name) != 0; };
    const std::vector<std::string> symbols = e.symbols(), iterators = e.iterators();
    return std::any_of(symbols.begin(), symbols.end(), isElement) ||
           std::any_of(iterators.begin(), iterators.end(), isElement);
  };
  std::set<std::string> most;  // bounds of something else, too: of that they are no more
  ir::Block result;
  for (const ir::Stmt& stmt : block) {
    if (auto* read = std::get_if<ir::Read>(&stmt.node)) {
      elements.insert(read->name);
      continue;
    }
    ir::Stmt copy = stmt;
    if (auto* bound = std::get_if<ir::Bound>(&copy.node);
        bound && std::erase_if(bound->of, isOfElements) > 0) {
      elements.insert(bound->name);
      if (bound->of.empty()) continue;
      most.insert(bound->name);
    }
    if (auto* loop = std::get_if<ir::TileLoop>(&copy.node); loop && isOfElements(loop->extent)) {
      // All rounds that there may be; else the first one, as if it were any. The last may have any size.
      const std::vector<std::string> symbols = loop->extent.symbols();
      const bool hasMost = symbols.size() == 1 && most.count(symbols[0]) != 0 &&
                           loop->extent == affine::Expr::symbol(symbols[0]);
      if (!hasMost) {
        loop->extent = loop->step;
        elements.insert(loop->var);
      }
      elements.insert(loop->size);
    }
    if (auto* loop = std::get_if<ir::For>(&copy.node); loop && isOfElements(loop->extent)) {
      loop->extent = affine::Expr::constant(1);
      elements.insert(loop->var);
    }
    if (auto* test = std::get_if<ir::If>(&copy.node))
      if (std::any_of(test->conditions.begin(), test->conditions.end(),
                      [&](const auto& c) { return isOfElements(c.left) || isOfElements(c.right); }))
        test->conditions.clear();
    for (ir::Block* inner : ir::blocksOf(copy)) *inner = withoutElements(*inner, elements);
    result.push_back(std::move(copy));
  }
  return result;
}

ir::Block sizesOnly(const ir::Block& block, bool ofThreads) {
  std::set<std::string> elements;
  return sizesInside(withoutElements(block, elements), ofThreads, /*inLoop=*/false,
                     /*onThreads=*/false);
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

bool takesHeap(const ir::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const ir::Stmt& stmt) {
    auto* alloc = std::get_if<ir::Alloc>(&stmt.node);
    return alloc && alloc->space == ir::Space::Heap;
  });
}

bool usesHeapAgain(const ir::Block& code) { return takers(code, /*inLoop=*/false) > 1; }

bool hasAllocs(const ir::Block& block) {
  bool found = false;
  ir::forEachStatement(
      block, [&](const ir::Stmt& stmt) { found |= std::holds_alternative<ir::Alloc>(stmt.node); });
  return found;
}

}  // namespace einc::emit
