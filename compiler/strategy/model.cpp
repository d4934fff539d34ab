// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/model.h"

#include <algorithm>
#include <vector>

#include "compiler/strategy/plan/limits.h"
#include "llvm/ADT/STLExtras.h"

namespace einc::strategy {
namespace {

std::string number(int64_t n) { return std::to_string(n); }

struct RegisterTile {
  int64_t rows = 1, vectors = 1;
};

// Beside accumulators and one row of the right panel: a broadcast while the next one is on its way,
// or a product without FMA. AVX-512 broadcasts as it multiplies, NEON has lanes of what it loads.
int64_t spareRegisters(const target::Target& target) {
  return target.hasFma && target.vectorRegisters >= 32 ? 1 : 2;
}

// The tile with the fewest loads for each FMA, (rows + vectors) / (rows * vectors), among those
// that hide the FMA's latency and fit the registers. Where all there is of `columns` is less than a
// tile has, vectors are no more than those.
RegisterTile registerTile(const target::Target& target, int outputs, int64_t columns, int lanes) {
  constexpr double kNever = 10;  // more loads than any tile has
  constexpr int64_t kRows = 12, kVectors = 4;
  const int64_t all = columns >= kVectors * lanes ? kVectors : (columns + lanes - 1) / lanes;
  RegisterTile best;
  double bestLoads = 1e9;
  for (int64_t rows = target.numbers.tileRows; rows <= kRows; rows += target.numbers.tileRows)
    for (int64_t vectors = 1; vectors <= std::max<int64_t>(all, 1); ++vectors) {
      int64_t accumulators = rows * vectors;
      int64_t registers = accumulators * outputs + vectors + spareRegisters(target);
      if (registers > target.vectorRegisters) continue;
      bool hidesLatency = accumulators >= int64_t{target.fmaLatency} * target.fmasPerCycle;
      double loads = static_cast<double>(rows + vectors) / static_cast<double>(accumulators);
      if (!hidesLatency) loads += kNever;
      if (loads < bestLoads) {
        bestLoads = loads;
        best = {rows, vectors};
      }
    }
  return best;
}

int64_t roundedDown(int64_t value, int64_t unit) {
  return std::max(value / unit, int64_t{1}) * unit;
}

// A tile is no larger than what it is a tile of, and tables of its positions are not too large.
int64_t most(int64_t extent, int64_t unit) {
  if (extent >= kMostInTable) return roundedDown(kMostInTable, unit);
  return std::max((extent + unit - 1) / unit, int64_t{1}) * unit;
}

}  // namespace

ContractionTiles contractionTiles(const target::Target& target, int bytes, int outputs,
                                  const Extents& extents, OpSettings& settings) {
  ContractionTiles t{};
  t.lanes = std::max(target.lanes(bytes), 1);
  RegisterTile tile{4, 4};
  if (target.vectorBytes > 0) tile = registerTile(target, outputs, extents.n, t.lanes);
  // What the model finds, or what is set, with the reason for it.
  auto choose = [&](const std::string& name, int64_t found, int64_t high, int64_t unit,
                    const auto& reason) {
    bool all = found > high;
    found = std::min(found, high);
    auto set = settings.number(name, unit, high, unit);
    int64_t value = set.value_or(found);
    t.reasons.push_back({name, value,
                         value != found ? "as it was set"
                         : all          ? "all there is, in whole tiles"
                                        : reason(value)});
    return value;
  };
  auto registers = [&](int64_t) {
    return number(tile.rows) + " x " + number(tile.vectors * t.lanes) +
           " accumulators stay in registers, " + number(tile.rows * tile.vectors * outputs) +
           " of " + number(target.vectorRegisters) + ", at least " +
           number(int64_t{target.fmaLatency} * target.fmasPerCycle) + " to hide the latency of " +
           number(target.fmaLatency) + " cycles";
  };
  t.mr = choose("mr", tile.rows, kMostRows, 2, registers);  // packing transposes tiles
  t.nr = choose("nr", tile.vectors * t.lanes, kMostColumnVectors * t.lanes, t.lanes,
                [&](int64_t value) {
                  return number(value / t.lanes) + " vectors of " + number(t.lanes) +
                         ", each read once for " + number(t.mr) + " rows";
                });
  t.masks = target.masksEnds;
  const target::Numbers& numbers = target.numbers;
  int64_t kc = std::clamp(roundedDown(numbers.panelInFirst * target.l1.bytes / (t.nr * bytes), 8),
                          numbers.leastTerms, numbers.mostTerms);
  t.kc = choose("kc", kc, most(extents.k, 1), 1, [&](int64_t value) {
    return "a panel of " + number(t.nr) + " columns, " + number(value * t.nr * bytes / 1024) +
           " KiB, is at most " + number(numbers.panelInFirst) + " L1 caches of " +
           number(target.l1.bytes / 1024) +
           " KiB; the longer, the less often the output is read and written";
  });
  int64_t block = std::min(target.l2.bytes * numbers.blockInSecond / 8, numbers.largestBlock);
  t.resident = std::max<int64_t>(block / bytes, 1);
  t.mc = choose("mc", roundedDown(block / (t.kc * bytes), t.mr), most(extents.m, t.mr), t.mr,
                [&](int64_t value) {
                  return "the packed block of the left operand, " +
                         number(value * t.kc * bytes / 1024) + " KiB, is at most " +
                         number(numbers.blockInSecond) + "/8 of the L2 cache of " +
                         number(target.l2.bytes / 1024) + " KiB, and " +
                         number(numbers.largestBlock / 1024) + " KiB";
                });
  t.nc = choose("nc", roundedDown(target.l3.bytes * numbers.panelInLast / 8 / (t.kc * bytes), t.nr),
                most(extents.n, t.nr), t.nr, [&](int64_t value) {
                  return "the packed panel of the right operand, " +
                         number(value * t.kc * bytes / 1024) + " KiB, is " +
                         number(numbers.panelInLast) + "/8 of the L3 cache";
                });
  return t;
}

const std::string& whyOf(const std::vector<TileReason>& reasons, std::string_view name) {
  return llvm::find_if(reasons, [&](const TileReason& one) { return one.name == name; })->why;
}

int64_t rowsInCache(const target::Target& target, int64_t stride) {
  const int64_t line = target.numbers.cacheLine;
  int64_t sets = std::max<int64_t>(target.l1.bytes / target.l1.ways / line, 1);
  std::vector<int> lines(static_cast<size_t>(sets));
  int64_t most = std::max<int64_t>(target.l1.ways - target.numbers.waysLeft, 1), rows = 0;
  int64_t step = stride % (sets * line);
  for (int64_t last = -1, place = 0;; ++rows, place = (place + step) % (sets * line)) {
    if (place / line == last && stride < line) continue;  // the line of the row before
    last = place / line;
    if (++lines[static_cast<size_t>(last)] > most) return rows;
  }
}

DirectTile directTile(const target::Target& target, const ContractionTiles& tiles, int outputs,
                      std::optional<int64_t> rows, std::optional<int64_t> columns,
                      int64_t mostRows) {
  // Without a size: so many that what is left over does not count.
  constexpr int64_t kMany = 27720;
  int64_t allRows = rows.value_or(kMany);
  int64_t allVectors = columns ? (*columns + tiles.lanes - 1) / tiles.lanes : kMany;
  // Cycles for each term: multiplications, loads, or one multiplication after the other.
  auto cycles = [&](int64_t r, int64_t v) {
    if (r == 0 || v == 0) return 0.0;
    auto issue = static_cast<double>(r * v * outputs) / target.fmasPerCycle;
    auto loads = static_cast<double>(r + v) / target.loadsPerCycle;
    return std::max({issue, loads, static_cast<double>(target.fmaLatency)}) + loads / 64;
  };
  DirectTile best{1, tiles.lanes};
  double least = 1e300;
  for (int64_t v = 1; v <= std::min<int64_t>(allVectors, 4); ++v)
    for (int64_t most = 1; most <= std::min({allRows, int64_t{target.vectorRegisters}, mostRows});
         ++most) {
      int64_t count = (allRows + most - 1) / most, r = (allRows + count - 1) / count;
      if (r * v * outputs + v + spareRegisters(target) > target.vectorRegisters) continue;
      auto down = [&](int64_t width) {
        int64_t whole = allRows / r;
        return static_cast<double>(whole) * cycles(r, width) + cycles(allRows % r, width);
      };
      int64_t wholeVectors = allVectors / v;
      double all = static_cast<double>(wholeVectors) * down(v) + down(allVectors % v);
      if (all < least) {
        least = all;
        best = {r, v * tiles.lanes};
      }
    }
  return best;
}

}  // namespace einc::strategy
