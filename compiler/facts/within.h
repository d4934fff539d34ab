// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// What of a tile a guard (ir/guard.h) lets pass: all of it, nothing, or how far an iterator has to run. Of
// `where k <= m`, in a tile of rows m0 .. m0 + M0 - 1 and of terms k0 .. k0 + K0 - 1:
//
//   all inside       0 <= m0 - (k0 + K0 - 1)
//   all outside      (m0 + M0 - 1) - k0 < 0
//   k runs below     m0 + M0                    and is inside for all rows below m0 + 1
//
// A condition that is not linear in the iterators, has numbers above 2^40, or is of elements, tells nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/facts/signs.h"
#include "compiler/ir/guard.h"

namespace einc::facts {

// The positions origin .. origin + size - 1 of an iterator, of which there are some.
struct Span {
  std::string iterator;
  affine::Expr origin, size;
};

// The least and the largest value that the expression has in the tile; of what is no iterator of the tile they are made.
std::optional<affine::Expr> leastIn(const Signs& signs, const affine::Expr& e,
                                    const std::vector<Span>& tile);
std::optional<affine::Expr> mostIn(const Signs& signs, const affine::Expr& e,
                                   const std::vector<Span>& tile);

// Where all of these hold, so does the guard in all of the tile; nothing if that cannot be told.
std::optional<std::vector<ir::Condition>> allInsideIf(const Signs& signs, const ir::Guard& guard,
                                                      const std::vector<Span>& tile);
// Where one of these does not hold, the guard holds nowhere in the tile.
std::vector<ir::Condition> anyInsideOnlyIf(const Signs& signs, const ir::Guard& guard,
                                           const std::vector<Span>& tile);

// Where an iterator is, when the guard holds for some of the tile's other positions (`some`), and when for all
// of them: at none of `from` less, and below all of `below`. Conditions without the iterator say nothing here.
struct Limits {
  std::vector<affine::Expr> from, below;
};
struct EndsIn {
  Limits some, all;
};
EndsIn endsIn(const Signs& signs, const ir::Guard& guard, const std::string& iterator,
              const std::vector<Span>& tile);

}  // namespace einc::facts
