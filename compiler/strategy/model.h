// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Sizes of tiles, from facts about the machine. After T. M. Low, F. D. Igual, T. M. Smith and E. S.
// Quintana-Orti, "Analytical Modeling Is Enough for High-Performance BLIS", ACM TOMS 43(2), 2016,
// with what it leaves implicit: registers, and loads for each FMA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/strategy/settings.h"
#include "compiler/target/target.h"

namespace einc::strategy {

// Why a number is what it is, for people: "nc", 2016, "the packed panel is half of the L3 cache".
struct TileReason {
  std::string name;
  int64_t value;
  std::string why;

  std::string text() const { return name + " = " + std::to_string(value) + ": " + why; }
};
// Of one of these numbers.
const std::string& whyOf(const std::vector<TileReason>& reasons, std::string_view name);

// The macro-kernel's tiles, in elements of the type that is packed.
struct ContractionTiles {
  int64_t mr, nr;      // the register tile: rows, and columns, which are whole vectors
  int64_t kc, mc, nc;  // the block of the left operand is mc x kc, the panel of the right kc x nc
  int64_t resident;    // elements that stay in the L2 cache
  int lanes;
  bool masks;  // part of a vector is read and written as a vector, if only at the ends
  std::vector<TileReason> reasons;

  const std::string& why(std::string_view name) const { return whyOf(reasons, name); }
};

// Extents of the groups M, N and K, where they are known, and otherwise the largest number.
struct Extents {
  int64_t m = INT64_MAX, n = INT64_MAX, k = INT64_MAX;
};

// `bytes`: of an accumulator; `outputs`: accumulators that belong to one position of the output.
// `settings` come before the model: mr, nr, kc, mc, nc; each of the others follows from those.
ContractionTiles contractionTiles(const target::Target& target, int bytes, int outputs,
                                  const Extents& extents, OpSettings& settings);

// The register tile where nothing is packed.
struct DirectTile {
  int64_t rows, columns;
};

// So many rows that lie `stride` bytes from each other have a line each in the L1 cache, with some
// ways left for others: of rows 4 KiB apart, all lines are in one set.
int64_t rowsInCache(const target::Target& target, int64_t stride);

// The one with the fewest cycles for all tiles of an output of this size, where it is known; no
// more than `mostRows`.
DirectTile directTile(const target::Target& target, const ContractionTiles& tiles, int outputs,
                      std::optional<int64_t> rows, std::optional<int64_t> columns,
                      int64_t mostRows);

}  // namespace einc::strategy
