// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Sums along integers of 4 bits, which are read as words of 32 bits: lanes are words, one beside the other, and each vector of
// them is all that there is of eight terms. What else moves along these is turned once, so that lanes of it are neighbours, too.
//
//   Y(n) += X(g, l) * (W(n, g, l) * scale(n, g)), l of 32
//
//   when contiguous(X, g, l) and contiguous(W, g, l) and aligned(W, g, l, 1) {
//     collapse g, l as g                   where a vector has more terms than `l`
//     split g by 8 as g_word   split g_word by 16 as g_block
//     copy X (g_block, g, g_word) as words_X { }
//     tile n by 1   vectorize (g: 8, g_word: 16)
//   } otherwise { as elements lie }
#pragma once

#include <string>

#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/streams/along.h"

namespace einc::strategy {

// Parallel iterators that are left: results of which each reads integers of its own, and, or "", those that read the same.
struct Results {
  std::string rows, shared;
};

// Whether that may be.
bool readsWords(const Along& along, const Results& results);
// The sums where it pays, and `otherwise` elsewhere.
Steps inWords(const Along& along, const Results& results, Steps otherwise);

}  // namespace einc::strategy
