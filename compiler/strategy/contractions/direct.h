// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// A contraction without packing, as steps: register tiles on the operands where they are.
//
//   tile k by 32                                       few enough to read in turn, or all
//   tile n by 64
//   tile m by 6
//   when m == 6 { function direct { vectorize (m: 6, n: 64) fit n variant } }
//   otherwise { ... fewer rows ... }
//
// Two rows are bound by how the right operand is read: four lines of it at once, far apart, across
// all of N.
//
// It pays when one of M, N and K is short, or all are: then packing costs more than it saves. Sizes
// that are constants are cut into tiles that fit them, and what is left over is a tile of its very
// size; a tile that is all there is needs no loop. Others have masks at the end of N, and fewer
// rows at the end of M. Where M or N are several iterators, all but one of each are loops around, which pays
// where rows are few, however many columns there are. Elements on the left that would be converted wherever they are broadcast
// (conversion.h) are converted first.
#pragma once

#include "compiler/strategy/contractions/panels.h"

namespace einc::strategy {

Result<Form> direct(const Contraction& contraction);

}  // namespace einc::strategy
