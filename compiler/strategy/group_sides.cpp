// Part of Einc. SPDX-License-Identifier: Apache-2.0
#include "compiler/strategy/group_sides.h"

#include <algorithm>

namespace einc::strategy {
namespace {

int64_t parts(int64_t all, int64_t each) { return (all + each - 1) / each; }

// Of so many invocations; nothing where the registers do not hold all sums at once, and there are to be no more turns for it.
std::optional<GroupSides> sidesOf(GroupSides one, int64_t most, bool inTurns, int64_t around,
                                  int64_t m, int64_t n) {
  // Most of them would be idle.
  if (one.rows > powerFor(m) || one.columns > powerFor(n)) return std::nullopt;
  // No more than there are: an axis is filled somewhere.
  one.mr = std::min(powerFor(parts(m, one.rows)), powerUpTo(m));
  one.nr = std::min(powerFor(parts(n, one.columns)), powerUpTo(n));
  if (one.mr * one.nr > most && !inTurns) return std::nullopt;
  while (one.mr * one.nr > most) (one.mr > one.nr ? one.mr : one.nr) /= 2;
  one.turns =
      parts(around, one.around) * parts(m, one.rows * one.mr) * parts(n, one.columns * one.nr);
  return one;
}

}  // namespace

int64_t powerUpTo(int64_t most) {
  int64_t result = 1;
  while (2 * result <= most) result *= 2;
  return result;
}
int64_t powerFor(int64_t least) {
  int64_t result = 1;
  while (result < least) result *= 2;
  return result;
}

std::optional<GroupSides> groupSides(const target::Device& device, int64_t words, int64_t around,
                                     int64_t m, int64_t n) {
  std::optional<GroupSides> best;
  const int64_t all = powerUpTo(device.invocations), most = device.registers / 2 / words;
  if (most < 1) return best;
  for (bool inTurns : {false, true}) {
    for (int64_t over = 1; over <= std::min(all, powerFor(around)); over *= 2)
      for (int64_t rows = 1; over * rows <= all; rows *= 2) {
        const auto one =
            sidesOf({over, rows, all / over / rows, 0, 0, 0}, most, inTurns, around, m, n);
        if (one && (!best || one->loads() <= best->loads())) best = one;
      }
    if (best) break;
  }
  return best;
}

}  // namespace einc::strategy
