// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Rounds in parts on a device, as ops in rounds (rounds.h) and such behind them. Each part of a tile is a workgroup's, which
// writes what it has found to rows of memory that all parts have together; what is done behind waits for all of them. There
// rows become one, as in rounds_parts.h, and no two positions wait for each other: tiles are of one position.
//
//   before  op (m) outs(%T[m]) { 0.0 }                                       rounds along n, tiles of m
//           op (m, n: reduction) ins(%S[m, n]) outs(%L[m]) { max(l, s) }
//           op (m, n: reduction) ins(%S[m, n], %L[m]) outs(%T[m]) { add(t, exp(sub(s, l))) }
//           op (m) ins(%T[m], %L[m]) outs(%O[m]) { add(log(t), l) }
//   parts   op (m) outs(%L[m]) { -inf }                                      local %L_parts: n_parts x M
//           op (m) outs(%T[m]) { -0.0 }
//           op (m, n: reduction) ins(%S[m, n]) outs(%L[m]) { max(l, s) }     in rounds along 1024 positions of n
//           op (m, n: reduction) ins(%S[m, n], %L[m]) outs(%T[m]) { add(t, exp(sub(s, l))) }
//           op (n_part, m) ins(%L[m]) outs(%L_parts[n_part, m]) { l }            tiles of n_part and of m
//           op (n_part, m) ins(%T[m]) outs(%T_parts[n_part, m]) { t }
//   rest    op (m) outs(%T[m]) { 0.0 }                                       no rounds, tiles of m
//           op (m, n_part: reduction) ins(%L_parts[n_part, m]) outs(%L[m]) { max(l, l_part) }
//           op (m, n_part: reduction) ins(%L_parts[n_part, m], %L[m], %T_parts[n_part, m]) outs(%T[m])
//               { add(t, select(eq(l_part, l), t_part, select(eq(l_part, -inf), 0.0, mul(t_part, exp(sub(l_part, l)))))) }
//           op (m) ins(%T[m], %L[m]) outs(%O[m]) { add(log(t), l) }
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/ir/ir.h"
#include "compiler/support/result.h"
#include "compiler/transforms/builder.h"
#include "compiler/transforms/rounds.h"

namespace einc::transforms {

// So many parts of so many positions; `iterator` is theirs, which no op has yet.
struct PartsOnWorkgroups {
  int64_t width;
  affine::Expr count;
  std::string iterator;
};

struct RoundsOnWorkgroups {
  Rounds parts, rest;
};

// Why parts cannot be workgroups'.
std::optional<Reason> whyNotOnWorkgroups(const Rounds& rounds);

// If there is no reason against that.
RoundsOnWorkgroups onWorkgroups(Builder& builder, const Rounds& rounds,
                                const PartsOnWorkgroups& parts);

}  // namespace einc::transforms
