// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Ops without reductions whose inputs are contiguous along another iterator than the output:
// squares are read along the one, transposed in registers, and written along the other.
//
// What is larger than the caches is written around them: at once, where lines of the output are
// aligned; otherwise through a buffer in which squares are joined with what waits from those before
// them, so that whole cache lines go to memory wherever they begin. Iterators that follow one
// another in memory are then one line: any transposition is one of a matrix.
//
// Both take the input strip by strip, some lines of it at a time. Where these follow one another in
// memory, they ask for the next strip evenly while they transpose this one, in the order in which it
// lies there: only so does the CPU read on by itself. (Measured on Zen 5, by hand, 400 times 416 x
// 416, f32, GB/s: 33 as the squares read it, 34 asking for what they read next, 40 asking for 1 KiB
// of each line in turn, 54 so; copies 55.)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/transpose_tile.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/tile.h"

namespace einc::strategy {

class Transpose {
 public:
  // The output is contiguous along the axis.
  Transpose(transforms::Builder& builder, const ScheduleOptions& options, const std::string& axis)
      : builder_(builder),
        options_(options),
        target_(*options.target),
        numbers_(target_.numbers),
        axis_(axis) {}

  // The inputs are contiguous along `across`.
  ir::Block run(const ir::StructuredOp& op, const std::string& across);

 private:
  static bool has(const ir::Operand& operand, const std::string& name);

  // Positions that are computed at once.
  int64_t lanes(const ir::StructuredOp& op) const;

  // Tiles that threads share (grain.h).
  transforms::Tiling onThreads(const ir::StructuredOp& op, const std::string& iterator,
                               int64_t step, bool outer = false) const;

  // Loops over all iterators but some and the reductions, then `inner`. They may be on threads, and
  // so may loops of `inner`, if it has `loopsOnThreads`.
  using Inner = std::function<ir::Block(const ir::StructuredOp&)>;
  ir::Block outer(const ir::StructuredOp& op, const std::vector<std::string>& but,
                  const Inner& inner, bool loopsOnThreads = false);

  // Where what is written has elements, and more than the last cache holds; nothing where it is known
  // to be smaller.
  std::optional<std::vector<ir::Condition>> whereLarge(const ir::StructuredOp& op) const;

  // Iterators that follow one another in the output, and others that do in the inputs: each a line,
  // so that what is transposed is a matrix. They are taken from both in turn.
  struct Lines {
    std::vector<std::string> along, across;
  };
  static Lines linesOf(const ir::StructuredOp& op, const std::string& across);

  // `within` where the number is at most `limit`, else `beyond`.
  affine::Expr choose(const affine::Expr& number, int64_t limit, int64_t within, int64_t beyond,
                      ir::Block& block);
  // Asks for `count` cache lines of the strip that begins at `next`, from number `first` on, where
  // its lines follow one another.
  ir::Block ask(const ir::StructuredOp& op, const std::string& across, const affine::Expr& next,
                const affine::Expr& first, int64_t count);
  // Reads lines along `across`, and has the axis.
  bool isTransposed(const ir::Operand& input, const std::string& across) const;
  // What is asked for early comes into the second cache.
  bool isFar() const { return numbers_.transposeInto > 1; }
  // Lines of such inputs, each in `dims` dimensions, follow one another along the axis, as the spec
  // has them, and their elements are as large as the output's.
  bool follow(const ir::StructuredOp& op, const std::string& across, size_t dims) const;
  // Positions of a cache line of the output.
  int64_t cacheLine(const ir::StructuredOp& op) const;
  int64_t bytesOf(const ir::Operand& operand) const;

  ir::Block aligned(const ir::StructuredOp& op, const std::string& across);

  // ---- Joined (streaming_transpose.cpp) ----

  // Some lines of the output among those that are written in turn, from a position along them on.
  struct Place {
    std::string rows;  // the iterator over the lines
    affine::Expr line, lines, position;
  };
  ir::Block throughStage(const ir::StructuredOp& op, const std::string& across,
                         std::vector<ir::Condition> whereLarge);
  int64_t stageLines() const;  // lines that are written in turn, of many
  ir::Block stretches(const ir::StructuredOp& op, const std::string& rows, const Lines& lines);
  ir::Block strips(const ir::StructuredOp& op, const std::string& rows);
  ir::Block fill(const ir::StructuredOp& op, const transforms::Tile& strip, const Place& place);
  ir::Block drain(const ir::StructuredOp& op, const affine::Expr& count, const Place& place);
  ir::Block leave(const ir::StructuredOp& op, const Place& place, int64_t waiting,
                  const affine::Expr& count, const Inner& inner);
  affine::Expr lead(const ir::StructuredOp& one, ir::Block& block);
  ir::Block last(const ir::StructuredOp& one);
  ir::Block wait(const ir::StructuredOp& op);
  ir::Operand onStage(const Place& place, const affine::Expr& width, int64_t first,
                      ir::Block& block);
  void positions(const ir::StructuredOp& op, const affine::Expr& first, const affine::Expr& count,
                 int64_t most, bool whole, ir::Block& block);

  ir::Block inBlocks(const ir::StructuredOp& op, const std::string& across);
  ir::Block transposeTile(const ir::StructuredOp& op, const Side& rows, const Side& columns);
  ir::Block tiles(
      const ir::StructuredOp& op, const transforms::Tiling& across,
      const std::function<ir::Block(const transforms::Tile&, const transforms::Tile&)>& inside);

  bool follow_ = false;  // lines of the inputs follow one another in memory, as the spec has them
  unsigned stage_ = 0;   // a line for each of the output's that are written in turn
  transforms::Builder& builder_;
  const ScheduleOptions& options_;
  const target::Target& target_;
  const target::Numbers& numbers_;
  std::string axis_;  // along which vectors lie
};

}  // namespace einc::strategy
