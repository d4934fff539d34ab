// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/fusion/size_rounds.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/shape.h"
#include "compiler/strategy/fusion/rounds_in_group.h"
#include "compiler/strategy/grain.h"
#include "compiler/strategy/groups.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

using transforms::Rounds;

// Of a dimension of what is kept, where it is not known.
constexpr int64_t kUsualWidth = 64;
// Tiles of about the same size have multiples of so many rows.
constexpr int64_t kRowsAlike = 16;

class Sizer {
 public:
  Sizer(const ir::Kernel& kernel, const ScheduleOptions& options)
      : kernel_(kernel), options_(options) {}

  void sizeTiles(Rounds& rounds, const std::optional<affine::Expr>& one) const {
    std::vector<Rounds::Loop*> rows = rowsOf(rounds);
    llvm::erase_if(rows, [&](const Rounds::Loop* loop) {
      return loop->extent.asConstant() == 1 || (one && loop->extent == *one);
    });
    auto size = [&](int64_t tile, int64_t columns, int64_t line) {
      rounds.along.tile = rows.empty() ? line : columns;
      if (!rows.empty()) rows.back()->tile = tile;
    };
    if (device() == nullptr) {
      const target::Numbers& numbers = options_.target->numbers;
      if (!rows.empty() && isCut(rounds, *rows.back())) {
        size(numbers.cutRoundRows, numbers.cutRoundColumns, numbers.roundLine);
      } else {
        size(numbers.roundRows, numbers.roundColumns, numbers.roundLine);
        if (!rows.empty()) fewerRows(rounds, *rows.back());
      }
      return shareOut(rounds);
    }
    const auto& numbers = device()->numbers;
    size(numbers.groupRows, numbers.groupColumns, numbers.groupLine);
    for (Rounds::Loop& loop : rounds.outer) loop.on = ir::On::WorkgroupsX;
  }

  std::optional<PartsOfRounds> parts(const Rounds& rounds) const {
    const target::Numbers& numbers = options_.target->numbers;
    // Of rounds that are long a part is several.
    const int64_t width =
        rounds.along.tile > numbers.roundLine ? 16 * rounds.along.tile : numbers.roundsPart;
    const PartsOfRounds parts{width, numbers.elementsPerThread};
    Rounds tried = rounds;
    return cut(tried, parts) ? std::nullopt : std::optional(parts);
  }

  std::optional<Reason> cut(Rounds& rounds, const PartsOfRounds& parts) const {
    if (options_.threads == 1) return Reason{"parts are for threads, of which there is one"};
    affine::Expr tiles = transforms::constant(1);
    for (const Rounds::Loop& loop : rounds.outer) tiles = tiles * tilesOf(loop);
    if (auto known = tiles.asConstant(); known && *known >= options_.threads)
      return Reason{"there are tiles enough for threads"};
    if (auto known = rounds.along.extent.asConstant(); known && *known <= parts.width)
      return Reason{"there is one part"};
    rounds.parts = {parts.width, tiles.floorDiv(transforms::constant(options_.threads))};
    shareOut(rounds, parts.work);
    return std::nullopt;
  }

  std::optional<Rounds> ofOneRow(Rounds rounds, affine::Expr& rows) const {
    const std::vector<Rounds::Loop*> loops = rowsOf(rounds);
    if (loops.empty() || loops.back()->extent.asConstant() || loops.back()->tile == 1)
      return std::nullopt;
    rows = loops.back()->extent;
    for (Rounds::Loop& loop : rounds.outer)
      if (!isPartOfRows(loop)) loop.tile = 1;
    sizeTiles(rounds, rows);
    if (device() != nullptr && shrink(kernel_, rounds, *device())) return std::nullopt;
    return rounds;
  }

 private:
  const target::Device* device() const { return options_.target->device; }

  // Whether which positions of a round do something depends on the row: an op looks at both.
  static bool isCut(const Rounds& rounds, const Rounds::Loop& rows) {
    for (size_t i = 0; i < rounds.ops.size(); ++i) {
      std::set<std::string> used;
      for (const ir::ValueRef& result : rounds.ops[i].results)
        ir::forEach(result, [&](const ir::Value& value) {
          if (auto* index = std::get_if<ir::IndexRef>(&value.node))
            for (const std::string& name : index->index.iterators()) used.insert(name);
        });
      if (used.count(rounds.along.names[i]) != 0 && used.count(rows.names[i]) != 0) return true;
    }
    return false;
  }

  // As many as what is kept has room for, of known ones about as many in each tile; and threads have tiles to share.
  void fewerRows(Rounds& rounds, Rounds::Loop& rows) const {
    const target::Numbers& numbers = options_.target->numbers;
    const int64_t least = std::min(numbers.roundRows, numbers.cutRoundRows);
    auto isLarge = [&] { return bytesKept(kernel_, rounds, kUsualWidth) > numbers.roundKept; };
    while (rows.tile / 2 >= least && (isLarge() || areFew(rounds))) rows.tile /= 2;
    const auto all = rows.extent.asConstant();
    if (!all || *all < 1) return;
    const int64_t tiles = (*all - 1) / rows.tile + 1, each = (*all - 1) / tiles + 1;
    rows.tile = std::min(rows.tile, (each - 1) / kRowsAlike * kRowsAlike + kRowsAlike);
  }
  // Two for each thread.
  bool areFew(const Rounds& rounds) const {
    if (options_.threads == 1) return false;
    affine::Expr tiles = transforms::constant(1);
    for (const Rounds::Loop& loop : rounds.outer) tiles = tiles * tilesOf(loop);
    return tiles.asConstant().value_or(0) < 2 * options_.threads;
  }

  // Loops over the rows of the first contraction that there is in rounds.
  std::vector<Rounds::Loop*> rowsOf(Rounds& rounds) const {
    std::vector<Rounds::Loop*> rows;
    for (size_t i = 0; i < rounds.ops.size() && rows.empty(); ++i) {
      if (rounds.when[i] != Rounds::When::In || !hasTiles(kernel_, rounds.ops[i])) continue;
      const Groups groups = *contractionGroups(kernel_, rounds.ops[i]);
      for (Rounds::Loop& loop : rounds.outer)
        if (!isPartOfRows(loop) && (llvm::is_contained(groups.m, loop.names[i]) ||
                                    llvm::is_contained(groups.n, loop.names[i])))
          rows.push_back(&loop);
    }
    return rows;
  }

  // What makes a thread worth its start: rows of a tile share what is read.
  int64_t workOf(Rounds& rounds) const {
    const target::Numbers& numbers = options_.target->numbers;
    return llvm::any_of(rowsOf(rounds), [](const Rounds::Loop* loop) { return loop->tile > 1; })
               ? numbers.iterationsPerThread
               : numbers.elementsPerThread;
  }
  // Iterations of all ops in rounds at one position of all loops; those with one are little.
  affine::Expr workAt(const Rounds& rounds) const {
    affine::Expr all;
    for (size_t i = 0; i < rounds.ops.size(); ++i) {
      if (rounds.when[i] != Rounds::When::In) continue;
      affine::Expr own = transforms::constant(1);
      for (const ir::Iterator& iterator : rounds.ops[i].iterators) {
        const bool isLoop = iterator.name == rounds.along.names[i] ||
                            llvm::any_of(rounds.outer, [&](const Rounds::Loop& loop) {
                              return loop.names[i] == iterator.name;
                            });
        if (auto extent = ir::extentOf(kernel_, rounds.ops[i], iterator.name); extent && !isLoop)
          own = own * extent->extent;
      }
      if (own != transforms::constant(1)) all = all + own;
    }
    return all == affine::Expr() ? transforms::constant(1) : all;
  }

  // The outermost loops of as many tiles as there is work for threads, or else those inside.
  void shareOut(Rounds& rounds, int64_t ofParts = 0) const {
    if (options_.threads == 1) return;
    const int64_t work = workOf(rounds);
    affine::Expr inside = workAt(rounds);
    for (const Rounds::Loop& loop : rounds.outer) inside = inside * transforms::constant(loop.tile);
    if (rounds.parts)
      rounds.parts->grain = tilesFor(ofParts, inside * transforms::constant(rounds.parts->width));
    inside = inside * rounds.along.extent;
    for (size_t i = rounds.outer.size(); i-- > 0;) {
      const bool isInnermost = i + 1 == rounds.outer.size() && !rounds.parts;
      rounds.outer[i].grain = isInnermost ? tilesFor(work, inside) : outerTilesFor(work, inside);
      inside = inside * tilesOf(rounds.outer[i]);
    }
  }
  static affine::Expr tilesOf(const Rounds::Loop& loop) {
    return (loop.extent + transforms::constant(loop.tile - 1))
        .floorDiv(transforms::constant(loop.tile));
  }

  const ir::Kernel& kernel_;
  const ScheduleOptions& options_;
};

}  // namespace

void sizeTiles(const ir::Kernel& kernel, Rounds& rounds, const ScheduleOptions& options,
               const std::optional<affine::Expr>& one) {
  Sizer(kernel, options).sizeTiles(rounds, one);
}

std::optional<PartsOfRounds> partsOf(const ir::Kernel& kernel, const Rounds& rounds,
                                     const ScheduleOptions& options) {
  return Sizer(kernel, options).parts(rounds);
}

std::optional<Rounds> ofOneRow(const ir::Kernel& kernel, const Rounds& rounds,
                               const ScheduleOptions& options, affine::Expr& rows) {
  return Sizer(kernel, options).ofOneRow(rounds, rows);
}

std::optional<Reason> cut(const ir::Kernel& kernel, Rounds& rounds, const PartsOfRounds& parts,
                          const ScheduleOptions& options) {
  return Sizer(kernel, options).cut(rounds, parts);
}

}  // namespace einc::strategy
