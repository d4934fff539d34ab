// Part of Einc. SPDX-License-Identifier: Apache-2.0
//
// Along which iterator the vectors of windows lie, whatever the layouts of the op's operands: the input may be read as it
// lies, or a copy of it whose dimensions are in another order, and the output may be turned afterwards. What that costs is
// estimated for each iterator, and the least is taken:
//
//   I(n, c, 3 * h + i, 3 * w + k) -> O(n, c, h, w)   c: of the input a copy, and the output is turned
//   I(n, h + i, w + k, c) -> O(c, h, w, n), N = 2    c: as the input lies, and the output is turned
//   I(h + i, w + k) -> O(w, h)                       h: of the input a copy
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/ir.h"
#include "compiler/transforms/builder.h"

namespace einc::strategy {

struct WindowLine {
  std::string iterator;  // the output's innermost one
  bool isCopied;         // the input, so that it lies along the iterator
};

// Of an op whose windows move over the input of that number, and whose output's indices are iterators; `mayCopy`: the input.
// Empty: none is any good.
std::optional<WindowLine> lineOfWindows(const ir::StructuredOp& op, size_t input,
                                        const transforms::Builder& builder, int lanes,
                                        bool mayCopy);

}  // namespace einc::strategy
