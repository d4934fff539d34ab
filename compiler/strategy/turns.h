// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops without reductions whose inputs are contiguous along another iterator than the output:
// squares are read along the one, turned in registers, and written along the other.
//
// What is larger than the caches is written around them: at once, where lines of the output are
// aligned; otherwise through a small buffer in which squares are joined with what waits from those
// before them, so that whole cache lines go to memory wherever they begin. Iterators that follow
// one another in memory are then one line: any transposition is one of a matrix.
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

  // ---- Joined (turns_joined.cpp) ----

  // Some lines of the output while they are turned, behind what waits of each; and what waits of
  // all lines that are taken in turn.
  struct Buffers {
    unsigned stage, waiting;
  };
  // Where an op on the stage stands: the first of its lines among those that are taken in turn, and
  // the first position along them.
  struct Place {
    std::string line, position;
  };
  int64_t cacheLine(const ir::StructuredOp& op) const;
  int64_t turned(const ir::StructuredOp& op) const;
  bool shareSets(const ir::StructuredOp& op) const;
  int64_t waiting() const;
  ir::Block joined(const ir::StructuredOp& op, const std::string& across);
  static ir::Block allocs(const Buffers& buffers);
  ir::Block stretches(const ir::StructuredOp& op, const std::string& rows, const Buffers& buffers,
                      const Lines& lines);
  ir::Block strips(const ir::StructuredOp& op, const std::string& rows, const Buffers& buffers);
  ir::Block fill(const transforms::Tile& some, const std::string& rows, const Buffers& buffers);
  ir::Operand onStage(const ir::StructuredOp& op, const std::string& rows, const Buffers& buffers,
                      const affine::Expr& width, int64_t first, ir::Block& block);
  ir::Block drain(const ir::StructuredOp& op, const transforms::Tile& some, const std::string& rows,
                  const Place& place, const Buffers& buffers);
  ir::Block leave(const ir::StructuredOp& op, const transforms::Tile& some, const std::string& rows,
                  const Place& place, const Buffers& buffers, int64_t waiting,
                  const affine::Expr& count, const Inner& inner);
  ir::Block wait(const ir::StructuredOp& op, const std::string& rows, const Place& place,
                 const Buffers& buffers, bool back);
  void positions(const ir::StructuredOp& op, const affine::Expr& first, const affine::Expr& count,
                 int64_t most, bool whole, ir::Block& block);

  ir::Block squares(const ir::StructuredOp& op, const std::string& across);
  ir::Block square(const ir::StructuredOp& op, const std::string& across,
                   const transforms::Tile& rows, const transforms::Tile& columns,
                   std::optional<ir::Ahead> ahead = {});
  ir::Block tiles(
      const ir::StructuredOp& op, const transforms::Tiling& across,
      const std::function<ir::Block(const transforms::Tile&, const transforms::Tile&)>& inside);

  bool shareSets_ = false;
};

}  // namespace einc::strategy
