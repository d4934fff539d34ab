// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A contraction without packing: register tiles on the operands where they are.
//
//   tile m0 by mb {                                    all of M, or the rows of one register tile
//     tile k0 by kb reduction {                        all of K, or few enough to read in turn
//       tile n0 by nr {
//         tile m1 by mr { op vector (m: mr, n: nr) }
//   } } }
//
// Two rows are bound by how the right operand is read: four lines of it at once, far apart, across
// all of N.
//
// It pays when one of M, N and K is short, or all are: then packing costs more than it saves. Sizes
// that are constants are cut into tiles that fit them, and what is left over is a tile of its very
// size; a tile that is all there is needs no loop. Others have masks at the end of N, and fewer
// rows at the end of M. Elements on the left that would be converted wherever they are broadcast
// (conversion.h) are converted first.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/contractions/region.h"
#include "compiler/strategy/groups.h"
#include "compiler/strategy/model.h"
#include "compiler/strategy/options.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

class Direct {
 public:
  // `op` is canonical.
  Direct(transforms::Builder& builder, const ir::StructuredOp& op, const Region& region,
         const Groups& groups, const ContractionTiles& tiles, const ScheduleOptions& options);

  // When it can be done, and pays: neighbours along n are neighbours in memory, and sizes are
  // small. Nothing, if it never pays.
  std::optional<std::vector<ir::Condition>> conditions() const;

  // For `einc explain`, under these conditions.
  std::string line(const std::vector<ir::Condition>& conditions) const;

  // The op, or one that is left of it within a batch.
  ir::Block run(const ir::StructuredOp& op);

 private:
  using Inside = std::function<ir::Block(const ir::StructuredOp&, int64_t)>;

  bool isConvertedFirst(const ir::StructuredOp& op) const;
  ir::StructuredOp converted(const ir::StructuredOp& op, ir::Block& block);
  ir::Block byForm(const ir::StructuredOp& op);
  ir::Block inTurn(const ir::StructuredOp& op);
  ir::Block byRows(const ir::StructuredOp& op);
  ir::Block byColumns(const ir::StructuredOp& op);
  int64_t mostRows() const;
  bool rightIsLarge() const;
  bool isNarrow(const ir::StructuredOp& op) const;
  bool isFlat(const ir::StructuredOp& op) const;
  ir::Block byLines(const ir::StructuredOp& op);
  ir::Block alongTerms(const ir::StructuredOp& op);
  ir::Block termVectors(const ir::StructuredOp& op, int64_t rows);
  ir::Block rowTiles(const ir::StructuredOp& op, int64_t step, const Inside& inside);
  ir::Block columnTiles(const ir::StructuredOp& op, const Inside& inside);
  ir::Block known(const ir::StructuredOp& op, const std::string& iterator, int64_t step,
                  const Inside& inside);
  // A loop, on threads if none around it is.
  ir::Block loop(const ir::StructuredOp& op, const std::string& iterator, int64_t step,
                 const transforms::Inside& inside);
  ir::StructuredOp slice(const ir::StructuredOp& op, const std::string& iterator, int64_t from,
                         int64_t count, ir::Block& block);
  ir::Block registerTile(const ir::StructuredOp& op, int64_t rows, int64_t columns);
  std::vector<ir::Axis> tileAxes(const ir::StructuredOp& op, int64_t rows, int64_t columns) const;
  int64_t widthFor(int64_t columns) const;

  transforms::Builder& builder_;
  const ir::StructuredOp& op_;
  const Region& region_;
  const Groups& groups_;
  const ContractionTiles& tiles_;
  DirectTile tile_;
  int64_t narrowRows_;  // of a tile whose vectors lie along K
  std::string m_, n_, k_;
  std::optional<int64_t> rows_, columns_, depth_;  // sizes of the groups, where they are constants
  int64_t resident_;  // elements of the right operand that stay in cache from row to row
  const ScheduleOptions& options_;
  bool isLarge_ = false;
  bool onThreads_ = false;  // a loop around has them already
  Terms terms_;             // of the tile of K
  bool outline_;            // register tiles are functions of their own
};

}  // namespace einc::strategy
