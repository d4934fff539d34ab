// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops without reductions whose inputs are contiguous along another iterator than the output:
// squares are read along the one, turned in registers, and written along the other.
//
// What is larger than the caches is written around them: at once, where lines of the output are
// aligned; otherwise tiles are turned into a buffer, from which whole lines go. Iterators that
// follow one another in memory are then one line: any transposition is one of a matrix.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/strategy/stream_base.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

class Turns : StreamBase {
 public:
  // What `base` knows of the op, along whose axis the output is contiguous.
  explicit Turns(const StreamBase& base) : StreamBase(base) {}

  // The inputs are contiguous along `across`.
  ir::Block run(const ir::StructuredOp& op, const std::string& across);

 private:
  // Iterators that follow one another in the output, and others that do in the inputs: each a line,
  // so that what is turned is a matrix. They are taken from both in turn.
  struct Lines {
    std::vector<std::string> along, across;
  };
  static Lines linesOf(const ir::StructuredOp& op, const std::string& across);

  ir::Block staged(const ir::StructuredOp& op, const std::string& across);
  ir::Block stagedTiles(const ir::StructuredOp& op, const std::string& rows, unsigned buffer,
                        const Lines& lines);
  void fillAndDrain(const ir::StructuredOp& op, const std::string& rows, const affine::Expr& height,
                    const affine::Expr& width, unsigned buffer, ir::Block& block);

  ir::Block squares(const ir::StructuredOp& op, const std::string& across);
  ir::Block square(const ir::StructuredOp& op, const std::string& across,
                   const transforms::Tile& rows, const transforms::Tile& columns);
  ir::Block tiles(
      const ir::StructuredOp& op, const std::string& across, int64_t width,
      const std::function<ir::Block(const transforms::Tile&, const transforms::Tile&)>& inside);
};

}  // namespace einc::strategy
