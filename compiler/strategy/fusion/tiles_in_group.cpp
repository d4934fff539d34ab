// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/tiles_in_group.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/shape.h"
#include "compiler/strategy/fusion/find_tiles.h"
#include "compiler/strategy/fusion/group_limits.h"
#include "compiler/strategy/group_sides.h"
#include "compiler/strategy/groups.h"
#include "compiler/transforms/builder.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using affine::Expr;
using transforms::constant;
using transforms::Span;
using transforms::Tiles;

class InGroup {
 public:
  InGroup(const ir::Kernel& kernel, Tiles& tiles, const target::Device& device)
      : kernel_(kernel), tiles_(tiles), device_(device) {
    findGroups();
  }

  std::optional<Reason> size() {
    std::vector<int64_t> best;
    double least = std::numeric_limits<double>::infinity();
    std::optional<Reason> reason;
    forAllSizes(0, [&] {
      if (auto why = takeMemory()) {
        if (!reason) reason = why;
        return;
      }
      const double loads = loadsOfResult();
      if (loads >= least) return;
      least = loads;
      best.clear();
      for (const Tiles::Loop& loop : tiles_.loops) best.push_back(*loop.tile.asConstant());
    });
    if (best.empty()) return reason;
    for (size_t loop = 0; loop < best.size(); ++loop)
      tiles_.loops[loop].tile = constant(best[loop]);
    if (auto why = fit()) return why;
    return pay();
  }

  std::optional<Reason> fit() {
    if (auto why = takeMemory()) return why;
    return limitLoops(roundsOfLoops(), device_, tiles_.where);
  }

 private:
  // ---- Sizes ----

  void forAllSizes(size_t loop, const std::function<void()>& visit) {
    if (loop == tiles_.loops.size()) return visit();
    const auto extent = tiles_.loops[loop].extent.asConstant();
    for (int64_t size : sizesOf(loop)) {
      tiles_.loops[loop].tile = constant(std::clamp<int64_t>(extent.value_or(size), 1, size));
      forAllSizes(loop + 1, visit);
      if (extent && *extent <= size) break;
    }
  }
  // Powers of two; along windows, which need some more, one or two less, too. Of loops along which windows do not move, the
  // innermost one has, as the last of all, some for neighbouring invocations; others are done position by position.
  std::vector<int64_t> sizesOf(size_t loop) const {
    const target::DeviceNumbers& numbers = device_.numbers;
    if (isWindow(loop)) return {1, 2, 3, 4, 6, 7, 8, 14, 15, 16, numbers.groupRows};
    for (size_t inner = loop + 1; inner < tiles_.loops.size(); ++inner)
      if (!isWindow(inner)) return {1};
    std::vector<int64_t> sizes;
    const int64_t most =
        tiles_.loops[loop].extent.asConstant() ? numbers.groupLine : numbers.groupWidth;
    const int64_t least = loop + 1 == tiles_.loops.size() ? numbers.groupRows / 2 : 1;
    for (int64_t size = least; size <= most; size *= 2) sizes.push_back(size);
    return sizes;
  }
  bool isWindow(size_t loop) const {
    const Span tile{transforms::originOf(loop),
                    transforms::originOf(loop) + transforms::sizeOf(loop)};
    return llvm::any_of(tiles_.needed,
                        [&](const auto& needed) { return needed.second[loop].span != tile; });
  }
  std::vector<Expr> sizes() const {
    std::vector<Expr> sizes;
    for (const Tiles::Loop& loop : tiles_.loops) sizes.push_back(loop.tile);
    return sizes;
  }

  // ---- Memory ----

  // What is not known is asked to be as small as that.
  int64_t assumed(const Expr& e, int64_t other) const {
    return std::max<int64_t>(e.evaluate([&](const affine::Atom& atom) {
                                return atom.kind == affine::Atom::Kind::Symbol
                                           ? std::optional(assumed(atom.name, other))
                                           : std::nullopt;
                              }).value_or(other),
                             1);
  }
  int64_t assumed(const std::string& symbol, int64_t other) const {
    const auto found = kernel_.attributeOf(symbol);
    if (!found) return other;
    const ir::Attribute& attribute = kernel_.attributes[found->attribute];
    if (!attribute.defaults) return 1;
    return static_cast<int64_t>((*attribute.defaults)[static_cast<size_t>(found->element)].asBits);
  }

  std::optional<Reason> takeMemory() {
    tiles_.most.clear();
    tiles_.where.clear();
    int64_t bytes = 0;
    for (const auto& [tensor, name] : tiles_.kept) {
      int64_t own = bytesInGroup(kernel_.tensors[tensor].type);
      for (int64_t size : memoryOf(tensor)) {
        if (size > device_.sharedBytes) return noRoom(device_, std::nullopt);
        own = std::min<int64_t>(own, INT32_MAX) * size;
      }
      bytes = std::min<int64_t>(bytes + own, INT32_MAX);
    }
    return noRoom(device_, bytes);
  }
  const std::vector<int64_t>& memoryOf(unsigned tensor) {
    const target::DeviceNumbers& numbers = device_.numbers;
    const std::vector<Expr>& whole = kernel_.tensors[tensor].shape;
    std::vector<Expr> shape = whole;
    std::vector<int64_t> other(shape.size(), numbers.groupWidth);
    for (size_t loop = 0; loop < tiles_.loops.size(); ++loop) {
      const auto& [dim, span] = tiles_.needed.at(tensor)[loop];
      shape[dim] = transforms::mostOf(span, sizes());
      other[dim] = numbers.groupWindow;
      const auto most = shape[dim].asConstant(), all = whole[dim].asConstant();
      if (span.isCut && most && all) shape[dim] = constant(std::min(*most, *all));
    }
    std::vector<int64_t>& most = tiles_.most[tensor];
    for (size_t d = 0; d < shape.size(); ++d) {
      most.push_back(assumed(shape[d], other[d]));
      if (shape[d].asConstant()) continue;
      ask(shape[d], most.back());
    }
    return most;
  }
  // Of sizes that differ by a number, one says it of all.
  void ask(const Expr& size, int64_t most) {
    for (ir::Condition& one : tiles_.where)
      if (auto more = (size - one.left).asConstant()) {
        const int64_t other = *one.right.asConstant();
        if (most - *more < other) one.right = constant(most - *more);
        return;
      }
    tiles_.where.push_back({ir::Condition::Kind::LessEqual, size, constant(most)});
  }

  // ---- What a tile takes ----

  // Of an op in a tile, at most.
  Expr positionsOf(size_t op, const std::string& iterator) const {
    for (size_t loop = 0; loop < tiles_.loops.size(); ++loop)
      if (tiles_.loops[loop].names[op] == iterator)
        return transforms::mostOf(tiles_.positions[op][loop], sizes());
    return ir::extentOf(kernel_, tiles_.ops[op], iterator)->extent;
  }
  Expr countOf(size_t op, ir::IteratorKind kind) const {
    Expr count = constant(1);
    for (const ir::Iterator& iterator : tiles_.ops[op].iterators)
      if (iterator.kind == kind) count = count * atMost(positionsOf(op, iterator.name));
    return count;
  }
  // Where memory has room for no more.
  Expr atMost(const Expr& count) const {
    for (const ir::Condition& one : tiles_.where)
      if (auto more = (count - one.left).asConstant(); more && !count.asConstant())
        return one.right + constant(*more);
    return count;
  }
  int64_t countedOf(size_t op, const std::vector<std::string>& iterators) const {
    int64_t count = 1;
    for (const std::string& name : iterators)
      count = std::min<int64_t>(count, INT32_MAX) *
              assumed(atMost(positionsOf(op, name)), device_.numbers.groupWindow);
    return count;
  }
  int64_t countedOf(size_t op, ir::IteratorKind kind) const {
    std::vector<std::string> iterators;
    for (const ir::Iterator& iterator : tiles_.ops[op].iterators)
      if (iterator.kind == kind) iterators.push_back(iterator.name);
    return countedOf(op, iterators);
  }

  void findGroups() {
    for (const ir::StructuredOp& op : tiles_.ops) {
      std::optional<Groups> groups;
      if (hasTiles(kernel_, op)) groups = *contractionGroups(kernel_, op);
      products_.push_back(std::move(groups));
    }
  }
  bool isProduct(size_t op) const { return products_[op].has_value(); }
  // As decideInGroup() does it: what is a product is one of rectangles of sums.
  std::optional<GroupSides> sidesOf(size_t op) const {
    if (!isProduct(op) || !products_[op]->batch.empty()) return std::nullopt;
    const Groups& groups = *products_[op];
    std::vector<std::string> around = groups.m;
    const std::string row = around.back(), column = groups.n.back();
    around.pop_back();
    around.insert(around.end(), groups.n.begin(), groups.n.end() - 1);
    return groupSides(device_, wordsOf(op), countedOf(op, around), countedOf(op, {row}),
                      countedOf(op, {column}));
  }
  int64_t wordsOf(size_t op) const {
    return bytesInGroup(kernel_.tensors[tiles_.ops[op].outputs[0].tensor].type) / 4;
  }
  static int64_t operandsOf(const ir::StructuredOp& op) {
    return 1 + llvm::count_if(op.inputs, [](const ir::Operand& input) { return !input.shapeOnly; });
  }

  // Loads of a tile for each term; invocations that have nothing to do take as long as others.
  double loadsOf(size_t op) const {
    const auto all = static_cast<double>(powerUpTo(device_.invocations));
    if (auto sides = sidesOf(op)) return all * static_cast<double>(sides->loads());
    const double rounds =
        std::ceil(static_cast<double>(countedOf(op, ir::IteratorKind::Parallel)) / all);
    return all * rounds * static_cast<double>(operandsOf(tiles_.ops[op]));
  }
  // The same of the op by itself, for as many results as are a tile's alone.
  double loadsApart(size_t op) const {
    double results = 1;
    for (const ir::Iterator& iterator : tiles_.ops[op].iterators)
      if (iterator.kind == ir::IteratorKind::Parallel) results *= ownOf(op, iterator.name);
    if (!isProduct(op)) return results * static_cast<double>(operandsOf(tiles_.ops[op]));
    const target::DeviceNumbers& numbers = device_.numbers;
    const int64_t sums =
        std::min(device_.registers * numbers.sumsOfRegisters / 8, numbers.mostSums) / wordsOf(op);
    return results * 2 / std::sqrt(static_cast<double>(std::max<int64_t>(sums, 1)));
  }
  double ownOf(size_t op, const std::string& iterator) const {
    for (size_t loop = 0; loop < tiles_.loops.size(); ++loop)
      if (tiles_.loops[loop].names[op] == iterator) return ownOf(tiles_.positions[op][loop], loop);
    return static_cast<double>(countedOf(op, {iterator}));
  }
  // By how much the next tile is further.
  double ownOf(const Span& span, size_t loop) const {
    std::vector<Expr> one = sizes(), two = one;
    two[loop] = two[loop] + constant(1);
    const Expr each = transforms::mostOf(span, two) - transforms::mostOf(span, one);
    return static_cast<double>(assumed(each * tiles_.loops[loop].tile, 1));
  }

  int64_t termsOf(size_t op) const { return countedOf(op, ir::IteratorKind::Reduction); }
  // For each result of the last op; where tiles are fewer than units, most of these wait.
  double loadsOfResult() const {
    double loads = 0, results = 1;
    for (size_t op = 0; op < tiles_.ops.size(); ++op)
      loads += loadsOf(op) * static_cast<double>(termsOf(op));
    for (const Tiles::Loop& loop : tiles_.loops)
      results *= static_cast<double>(*loop.tile.asConstant());
    const auto tiles = tilesInAll();
    const double idle =
        tiles ? std::max(1.0, static_cast<double>(device_.units) / static_cast<double>(*tiles)) : 1;
    return loads / results * idle;
  }
  std::optional<int64_t> tilesInAll() const {
    int64_t all = 1;
    for (const Tiles::Loop& loop : tiles_.loops) {
      const auto own = loop.extent.ceilDiv(loop.tile).asConstant();
      if (!own) return std::nullopt;
      all = std::min<int64_t>(all, INT32_MAX) * std::max<int64_t>(*own, 1);
    }
    return all;
  }

  // ---- Whether it pays ----

  std::optional<Reason> pay() {
    double left = static_cast<double>(device_.numbers.farLoads) * farLoads();
    struct Open {
      double loads;
      Expr terms;
    };
    std::vector<Open> open;
    for (size_t op = 0; op < tiles_.ops.size(); ++op) {
      const double more = loadsOf(op) - loadsApart(op);
      const Expr terms = countOf(op, ir::IteratorKind::Reduction);
      // Of windows memory says how large they are.
      if (terms.asConstant() || !isProduct(op))
        left -= more * static_cast<double>(termsOf(op));
      else if (more > 0)
        open.push_back({more, terms});
    }
    for (const Open& one : open) {
      const double most = left / static_cast<double>(open.size()) / one.loads;
      if (most < 1) return noGain();
      tiles_.pays.push_back({ir::Condition::Kind::LessEqual, one.terms,
                             constant(static_cast<int64_t>(std::min(most, 1e9)))});
      tiles_.where.push_back(tiles_.pays.back());
    }
    return left < 0 ? noGain() : std::nullopt;
  }
  static std::optional<Reason> noGain() {
    return Reason{
        "what tiles share would be computed again, which takes longer than to write and read it as "
        "a whole"};
  }
  // What is written and read as a whole, of a tile, and its part of what a dispatch takes to start.
  double farLoads() const {
    double loads = 0;
    for (const auto& [tensor, name] : tiles_.kept) {
      if (!staysInMemory(tiles_, tensor)) continue;
      double own = 2;
      std::set<size_t> dims;
      for (size_t loop = 0; loop < tiles_.loops.size(); ++loop) {
        const auto& [dim, span] = tiles_.needed.at(tensor)[loop];
        own *= ownOf(span, loop);
        dims.insert(dim);
      }
      const std::vector<Expr>& shape = kernel_.tensors[tensor].shape;
      for (size_t d = 0; d < shape.size(); ++d)
        if (dims.count(d) == 0)
          own *= static_cast<double>(assumed(shape[d], device_.numbers.groupWidth));
      loads += own;
    }
    if (auto tiles = tilesInAll())
      loads += static_cast<double>(device_.numbers.dispatchLoads) / static_cast<double>(*tiles);
    return loads;
  }

  // ---- Rounds of loops ----

  // Of an invocation, about. Each loop takes one more to find its end.
  Expr roundsOfLoops() const {
    Expr all;
    for (size_t op = 0; op < tiles_.ops.size(); ++op) {
      const Expr terms = countOf(op, ir::IteratorKind::Reduction);
      const auto sides = sidesOf(op);
      const Expr turns = sides ? constant(sides->turns)
                               : countOf(op, ir::IteratorKind::Parallel)
                                     .ceilDiv(constant(powerUpTo(device_.invocations)));
      all = all + constant(2) * turns * terms + constant(2);
    }
    return all;
  }

  const ir::Kernel& kernel_;
  Tiles& tiles_;
  const target::Device& device_;
  std::vector<std::optional<Groups>> products_;  // by ops
};

}  // namespace

std::optional<Reason> sizeInGroup(const ir::Kernel& kernel, Tiles& tiles,
                                  const target::Device& device) {
  return InGroup(kernel, tiles, device).size();
}

std::optional<Reason> fitInGroup(const ir::Kernel& kernel, Tiles& tiles,
                                 const target::Device& device) {
  return InGroup(kernel, tiles, device).fit();
}

}  // namespace einc::strategy
