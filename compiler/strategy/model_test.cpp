// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/model.h"

#include <gtest/gtest.h>

namespace einc::strategy {
namespace {

// Packed buffers have room for whole register tiles only.
TEST(Model, BlocksAreWholeTiles) {
  for (const target::Target& target : target::all())
    for (int bytes : {1, 4, 8})
      for (int64_t extent :
           {int64_t{1}, int64_t{7}, int64_t{1000}, int64_t{32768}, int64_t{230400}, INT64_MAX}) {
        OpSettings none({}, "", 0);
        ContractionTiles t = contractionTiles(target, bytes, 1, {extent, extent, 24}, none);
        EXPECT_EQ(t.mc % t.mr, 0) << target.name << " " << extent;
        EXPECT_EQ(t.nc % t.nr, 0) << target.name << " " << extent;
        EXPECT_GT(t.kc, 0);
      }
}

// What is loaded has registers, too: of AVX2's sixteen, two beside sums and columns, or sums are spilt.
TEST(Model, TilesLeaveRegisters) {
  for (const target::Target& target : target::all()) {
    if (target.vectorBytes == 0) continue;
    for (int64_t columns : {int64_t{5}, int64_t{8}, int64_t{40}, INT64_MAX}) {
      OpSettings none({}, "", 0);
      const ContractionTiles t = contractionTiles(target, 4, 1, {INT64_MAX, columns, 24}, none);
      const int64_t vectors = t.nr / t.lanes, spare = target.vectorRegisters < 32 ? 2 : 1;
      EXPECT_LE(t.mr * vectors + vectors + spare, target.vectorRegisters) << target.name;
      if (columns <= t.lanes) EXPECT_EQ(vectors, 1) << target.name << " " << columns;
    }
  }
}

// In 64 sets of 12 ways, two of which are for others.
TEST(Model, RowsInCache) {
  const target::Target& target = *target::find("znver5");
  EXPECT_EQ(rowsInCache(target, 64), 640);
  EXPECT_EQ(rowsInCache(target, 4096), 10);
  EXPECT_EQ(rowsInCache(target, 2048), 20);
  EXPECT_EQ(rowsInCache(target, 32768 + 4), 10);  // 16 rows until the next set
  EXPECT_EQ(rowsInCache(target, 4096 + 64), 640);
  EXPECT_EQ(rowsInCache(target, 4), 640 * 16);  // 16 rows a line
  EXPECT_EQ(rowsInCache(target, INT64_MAX / 4096 * 4096), 10);
}

}  // namespace
}  // namespace einc::strategy
