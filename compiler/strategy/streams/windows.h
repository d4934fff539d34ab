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
//
// Refused: no window along a parallel iterator, or one of a single position that reads nothing
// outside; an operand with the channels elsewhere than in its last dimension; no or several
// outputs; a payload with positions.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/strategy/options.h"
#include "compiler/strategy/plan/steps.h"
#include "compiler/support/result.h"

namespace einc::strategy {

struct Windowed {
  Steps steps;
  std::string axis;  // along which vectors lie
  std::string form;  // in words
};

// What is to be done with the op, or the reason why it is none. `kernel` has the op in it; the steps call
// its operands by `names`.
Result<Windowed> windows(const ir::Kernel& kernel, const ir::StructuredOp& op,
                         const std::vector<OperandName>& names, const ScheduleOptions& options);

}  // namespace einc::strategy
