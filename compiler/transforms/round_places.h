// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Where ops in rounds (rounds.h) find their tensors: in memory for a tile, or in a view of the tile's part; in parts that threads
// share, in a row of each part's own.
//
//   op (m: parallel, n: reduction) ins(%S[m, n]) outs(%L[m])      local %S: 64 x 96
//
//   view %S_here: m0_size x n0_size = (d0, d1) -> %S[d0, d1]      of a tile; the last ones are smaller
//   view %L_here: m0_size = (d0) -> %L[m0 + d0]                   others see it: it is whole
//   op (m: parallel, n: reduction) ins(%S_here[m, n]) outs(%L_here[m])
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/transforms/rounds_guards.h"

namespace einc::transforms {

class RoundPlaces : protected RoundGuards {
 protected:
  using Expr = affine::Expr;
  using ValueRef = ir::ValueRef;
  using StructuredOp = ir::StructuredOp;
  using RoundGuards::RoundGuards;

  // The dimensions of a tile, as large as it may be.
  std::vector<Expr> tileShape(unsigned tensor);
  // Memory for a tile, in the place of all.
  void keep(unsigned tensor, const std::string& name);

  // Where it is: whole, or a tile of it.
  unsigned placeOf(unsigned tensor) const;

  // The part of a tensor that belongs to the tile, with indices at these places.
  unsigned partOf(unsigned tensor, const Places& places);

  ir::Operand partOf(size_t op, const ir::Operand& operand);

  // Positions in payloads are those in the whole op.
  ValueRef shifted(size_t op, const ValueRef& value) const;

  // The op, which has that number, on the tile.
  StructuredOp here(StructuredOp op, size_t number);

  // The iterators of a part of a tensor, called after its dimensions, and the tensor there.
  struct Whole {
    std::vector<ir::Iterator> iterators;
    std::map<size_t, Expr> at;  // by loops
    ir::Operand operand;
    SourceRange source;
  };
  Whole wholeOf(unsigned tensor);
  // A bound, or what is like it, at the positions of a tensor.
  ir::Operand boundAt(unsigned bound, unsigned tensor, const Whole& whole);

  unsigned likeBound(unsigned bound, const std::string& name);
  // Its positions of the tile.
  unsigned hereLike(unsigned bound, unsigned memory);

  static ValueRef operandOf(ir::ScalarType type, unsigned number);
  static StructuredOp mapOf(const Whole& whole, std::vector<ir::Operand> inputs,
                            const ir::Operand& output, ValueRef value);

  bool isInPart_ = false;              // while what stands in it is made
  std::map<unsigned, unsigned> kept_;  // memory for a tile, by tensors
  std::map<unsigned, unsigned> rows_;  // what a part carries on, by tensors
  ir::Block views_, viewsInPart_, viewsInRound_;

 private:
  std::map<std::pair<unsigned, Places>, unsigned> parts_;
};

}  // namespace einc::transforms
