// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// The ways of a stream, rows of forms.def: the first that can be taken is. Each says why not, or what it does.
//
// Vectors lie along an iterator of results, here n (`lines`):
//
//   tile m by 1
//   tile n by 64
//   when n == 64 { vectorize (n: 64) } otherwise { tile n by 16 ... }
//
// or along one that is added up, here k (`sums`):
//
//   tile m by 1
//   cut k at (k floordiv 64) * 64 {
//     split k by 64 as k_block
//     vectorize (k: 64)                            a sum in each lane, which are added up at the end
//   } rest { vectorize (k: 64) }
#pragma once

#include <string>

#include "compiler/strategy/plan/steps.h"
#include "compiler/strategy/streams/along.h"
#include "compiler/support/result.h"

namespace einc::strategy {

struct Way {
  Steps steps;
  std::string line;  // "vectors along 'n', " and this
};

// Along a reduction: by a combiner of its own, a result for each lane (transforms/accumulate.h).
Result<Way> resultsInLanes(const Along& along);
// By a function: several vectors of partial results, so that they do not wait for each other. Four results at a time, where
// there are several: what they share is loaded once.
Result<Way> sumsInLanes(const Along& along);
// The same of products that an instruction adds several of (words_along.h).
Result<Way> wordsInLanes(const Along& along);
// Along results, down the columns of what is added up: several lines at once, in pieces of which that of the output stays in
// the second cache.
Result<Way> downColumns(const Along& along);
// The same in the order of the spec, whatever it is combined by: a few lines after one another for some vectors of results, and
// then for those beside them.
Result<Way> linesInTurn(const Along& along);
// An input is contiguous along another iterator: blocks of several squares each way, so that lines are read on and on, and
// written while they are at hand. What is larger than the caches goes around them.
Result<Way> inSquares(const Along& along);
// Some of a line is outside a tensor where no mask can say so: vectors between its borders.
Result<Way> betweenBorders(const Along& along);
// Each vector on its own; long lines of large outputs go around the caches.
Result<Way> inLines(const Along& along);

// One way wherever operands lie: of a reduction several vectors at a time, else one.
Steps oneVector(const Along& along);
// Vectors of elements that are read and written one by one, where more is computed than that, else loops.
Steps oneByOne(const Along& along);

}  // namespace einc::strategy
