// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The loops of ops in rounds (rounds.h), and where ops and tensors are in them. For rounds.cpp and rounds_guards.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/transforms/builder.h"
#include "compiler/transforms/rounds.h"
#include "compiler/transforms/tile.h"

namespace einc::transforms {

class RoundTiles {
 protected:
  RoundTiles(Builder& builder, const Rounds& rounds) : builder_(builder), rounds_(rounds) {
    keepDimensionNames(builder);
    for (const Rounds::Loop& loop : rounds.outer) open(loop, ir::IteratorKind::Parallel);
    if (hasRounds()) open(rounds.along, ir::IteratorKind::Reduction);
  }

  // For each dimension of an operand the loop whose iterator is its index, or kNone.
  static constexpr size_t kNone = SIZE_MAX;
  using Places = std::vector<size_t>;

  ir::Kernel& kernel() { return builder_.kernel(); }
  const Rounds::Loop& loop(size_t number) const {
    return number < rounds_.outer.size() ? rounds_.outer[number] : rounds_.along;
  }
  bool hasRounds() const {
    return std::any_of(rounds_.along.names.begin(), rounds_.along.names.end(),
                       [](const std::string& name) { return !name.empty(); });
  }
  bool isSingle(size_t number) const { return loop(number).tile == 1; }
  size_t along() const { return rounds_.outer.size(); }
  // Where a loop's tile begins.
  affine::Expr origin(size_t number) const {
    const affine::Expr own = at(loops_[number].var);
    return number == along() ? partOrigin_ + own : own;
  }

  void open(const Rounds::Loop& loop, ir::IteratorKind kind) {
    ir::TileLoop made =
        tileLoop(builder_, nameOf(loop) + "0", loop.extent, constant(loop.tile), kind);
    made.grain = loop.grain;
    made.on = loop.on;
    loops_.push_back(std::move(made));
  }

  size_t loopOf(size_t op, const affine::Expr& index) const {
    const auto name = index.asIterator();
    for (size_t i = 0; name && i <= along(); ++i)
      if (loop(i).names[op] == *name) return i;
    return kNone;
  }
  Places placesOf(size_t op, const ir::Operand& operand) const {
    Places places;
    for (const affine::Expr& index : operand.map) places.push_back(loopOf(op, index));
    return places;
  }
  // The first use of a tensor in one of the ops.
  Places placesOf(unsigned tensor) const {
    for (size_t op = 0; op < rounds_.ops.size(); ++op)
      for (size_t i = 0; i < rounds_.ops[op].operandCount(); ++i)
        if (rounds_.ops[op].operand(i).tensor == tensor)
          return placesOf(op, rounds_.ops[op].operand(i));
    return {};
  }

  // What is written in rounds, and is the same in all of them.
  bool isCarried(unsigned tensor) const {
    const Places places = placesOf(tensor);
    return std::find(places.begin(), places.end(), along()) == places.end();
  }

  // Positions of a tile: the loop's size, where not all are whole.
  affine::Expr positions(size_t number) const {
    const auto known = loops_[number].extent.asConstant();
    return known && *known % loop(number).tile == 0 ? constant(loop(number).tile)
                                                    : size(loops_[number].size);
  }

  // What an op does outside of rounds. Behind a part it may be the same in all tiles along a loop: then the first one does it.
  void pushOnce(size_t op, ir::Stmt done, ir::Block& block) const {
    std::vector<ir::Condition> first;
    if (rounds_.partWidth != 0 && rounds_.when[op] == Rounds::When::After)
      for (size_t number = 0; number < along(); ++number)
        if (loop(number).names[op].empty())
          first.push_back({ir::Condition::Kind::Less, at(loops_[number].var), constant(1)});
    if (first.empty()) return block.push_back(std::move(done));
    auto* last = block.empty() ? nullptr : std::get_if<ir::If>(&block.back().node);
    if (last && last->conditions == first) return last->then.push_back(std::move(done));
    block.push_back({ir::If{std::move(first), only(std::move(done)), {}}});
  }

  Builder& builder_;
  Rounds rounds_;
  std::vector<ir::TileLoop> loops_;   // the last is that of the rounds
  std::optional<ir::TileLoop> part_;  // around that, if threads share rounds
  affine::Expr partOrigin_;           // where a part begins, of threads or of workgroups
};

}  // namespace einc::transforms
