// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Along which iterator the vectors of windows lie, whatever the layouts of the op's operands: the input may be read as it
// lies, or a copy of it whose dimensions are in another order, and the output may be turned afterwards. What that costs is
// estimated for each iterator, and the least is taken:
//
//   I(n, c, 3 * h + i, 3 * w + k) * F(i, k, c) -> O(n, c, h, w)   c: of the input a copy, and the output is turned
//   I(n, h + i, w + k, c) -> O(c, h, w, n), N = 2                 c: as the input lies, and the output is turned
//   I(h + i, w + k) -> O(w, h)                                    h: of the input a copy
//   I(h + i, c, w + k, n) -> O(h, w, c, n)                        c and n: of the input a copy
//
// Which of several iterators that no window moves along, and no filter tells apart, has many positions is not known: as
// neighbours they are one line (streams/neighbours.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

struct WindowLine {
  std::vector<std::string>
      iterators;  // the output's innermost ones, the last of which vectors lie along
  bool isCopied;  // the input, so that it lies along them
  bool isTurned;  // the output, for that
};

// Of an op whose windows move over the input of that number, and whose output's indices are iterators; `mayCopy`: the input.
// Empty: none is any good.
std::optional<WindowLine> lineOfWindows(const ir::StructuredOp& op, size_t input,
                                        const transforms::Builder& builder, int lanes,
                                        bool mayCopy);

}  // namespace einc::strategy
