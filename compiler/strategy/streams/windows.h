// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Windows that move over an input whose channels lie side by side: pooling, depthwise convolution,
// and whatever has such maps. Vectors lie along the channels; several positions of the window are
// computed at once, so that what they share is loaded once, or one by one, if that is little.
//
//   for n, oh, c in blocks, ow in fours:
//     O(n, oh, ow, c) += I(n, oh * s + kh, ow * s + kw, c) * K(kh, kw, c)
//
// Where an input is read outside its tensor, bounds are tested once for each tile of positions;
// those at the border are computed one by one, with the tests of the spec. Where the filter of all
// channels would push everything else out of the first cache, blocks of channels are outermost.
// What the output has between the window's positions and the channels is walked for each tile of
// positions, so that memory is written as it lies; where the filter does not stay in half of the
// second cache, around them.
//
// A window may move along the vectors, too, one by one: of planes that lie whole. (Where its
// step is an attribute, unit_steps.h asks for 1.)
//
//   for n, oh in twos, ow in blocks:
//     O(n, oh, ow) += I(n, oh * s0 + kh, ow * s1 + kw) * K(kh, kw)        s1 == 1
//
// Where windows move by one position, and it is known how many terms they have, each term is code of its own. Then
// windows of a few rows are done at once, too, and what they read alike is loaded once:
//
//   vectorize (oh: 2, ow: 4, c: 8) unrolled (kh, kw)     of 3 x 3: 24 vectors are read for 72 terms
//
// Where an input is larger than windowFar (target/numbers.def), it is read line by line instead, as streams.h has it.
//
// Refused: no window along a parallel iterator, or one of a single position that reads nothing
// outside; an operand with the channels elsewhere than in its last dimension; no or several
// outputs; a payload with positions.
#pragma once

#include "compiler/strategy/form.h"
#include "compiler/support/result.h"

namespace einc::strategy {

Result<Form> windows(const Task& task);

}  // namespace einc::strategy
