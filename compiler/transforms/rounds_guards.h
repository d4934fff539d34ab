// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What guards (ir/guard.h) say of ops in rounds (rounds.h): which rounds leave everything as it was, where rounds end, and in
// which a choice between two values is the same for all of a tile.
//
//   op (m, n: reduction) ins(%S[m, n], %length[]) outs(%T[m]) { add(t, select(lt(index(n), length), s, -0.0)) }
//
//   read length_read = %length[]                     an element that is the same in all rounds is read before them
//   bound n0_end = min(N, length_read)
//   tile n0 = 0 .. n0_end by 96 reduction {
//     if n0 + n0_size <= length_read { ... } else { ... }     all is inside: there is no choice
//   }
#pragma once

#include <optional>
#include <vector>

#include "compiler/facts/within.h"
#include "compiler/transforms/leaving.h"
#include "compiler/transforms/rounds_tiles.h"

namespace einc::transforms {

class RoundGuards : protected RoundTiles {
 protected:
  using Conditions = std::vector<ir::Condition>;
  using RoundTiles::RoundTiles;

  // An element that is the same in all rounds is read before them, where positions are compared with it: in `reads`.
  void numberElements(ir::Block& reads);
  // Rounds end where guards do. Bounds for that go to `ends`.
  void endEarly(ir::Block& ends);
  // What has to hold in a round for a choice in an op to be the same in all of it; nothing if that is not known.
  std::optional<Conditions> isAlwaysFirst(size_t op, const ir::ValueRef& value);
  // Where one of these does not hold in a round, it has nothing to do; none, if that is not known. Numbers for them go to
  // `block`.
  Conditions anyInside(ir::Block& block);

 private:
  std::vector<facts::Span> tileOf(size_t op) const;
  // No other iterators are in them.
  bool areOfLoops(const Conditions& conditions) const;
  // The ops that leave something behind a round, and when they do not; none, where one always does.
  std::vector<Leaving> leavings() const;
  // Or it is the first round.
  ir::Condition orFirst(const ir::Condition& notNegative, ir::Block& block);
};

}  // namespace einc::transforms
